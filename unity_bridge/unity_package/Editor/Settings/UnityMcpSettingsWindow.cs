using UnityEditor;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary><c>Window &gt; Unity MCP Settings</c>: the port, and the state of the connection.</summary>
    internal sealed class UnityMcpSettingsWindow : EditorWindow
    {
        private int _port;
        private string _shown;

        [MenuItem("Window/Unity MCP Settings")]
        private static void Open() => GetWindow<UnityMcpSettingsWindow>("Unity MCP Settings");

        private void OnEnable() => _port = UnityMcpPluginSettings.instance.port;

        private void OnGUI()
        {
            _port = EditorGUILayout.IntField("Port", _port);
            EditorGUILayout.LabelField("Connection", StateText());
            var notice = UnityMcpBridge.Notice;
            if (notice != null)
            {
                EditorGUILayout.HelpBox(notice.Value.Text, notice.Value.IsError ? MessageType.Error : MessageType.Info);
            }

            using (new EditorGUI.DisabledScope(UnityMcpBridge.ChangesPort))
            {
                if (GUILayout.Button("Apply"))
                {
                    // Accept the text that is still being edited.
                    GUI.FocusControl(null);
                    UnityMcpBridge.Apply(_port);
                }
            }
        }

        private void OnInspectorUpdate()
        {
            var now = StateText() + UnityMcpBridge.Notice?.Text;
            if (now != _shown)
            {
                _shown = now;
                Repaint();
            }
        }

        private static string StateText()
        {
            switch (UnityMcpBridge.State)
            {
                case ConnectionState.Connected:
                    return $"connected to port {UnityMcpBridge.Port}";
                case ConnectionState.Connecting:
                    return $"connecting to port {UnityMcpBridge.Port}; start the server with: unity-cli serve";
                case ConnectionState.Rejected:
                    return $"rejected: another Unity Editor uses the server on port {UnityMcpBridge.Port}";
                case ConnectionState.NotAuthorized:
                    return $"refused: the server on port {UnityMcpBridge.Port} asks for a token";
                case ConnectionState.NotProven:
                    return $"not trusted: what listens on port {UnityMcpBridge.Port} did not prove to be this user's server";
                default:
                    return "off";
            }
        }
    }
}
