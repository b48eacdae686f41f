using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    public class EditorWindow : ScriptableObject
    {
        private static readonly List<EditorWindow> s_Open = new List<EditorWindow>();

        public GUIContent titleContent { get; set; } = new GUIContent("");

        public Vector2 minSize { get; set; }

        public Vector2 maxSize { get; set; }

        public static bool HasOpenInstances<T>() where T : EditorWindow => s_Open.OfType<T>().Any();

        public static T GetWindow<T>() where T : EditorWindow => (T)Open(typeof(T));

        public static T GetWindow<T>(string title) where T : EditorWindow => GetWindow<T>(false, title);

        public static T GetWindow<T>(bool utility, string title) where T : EditorWindow
        {
            var window = GetWindow<T>();
            window.titleContent = new GUIContent(title);
            return window;
        }

        public void Show()
        {
        }

        public void Focus()
        {
        }

        public void Repaint()
        {
        }

        public void Close()
        {
            s_Open.Remove(this);
            BenchSide.Editor.WindowChanged(GetType().AssemblyQualifiedName, false);
            DestroyImmediate(this);
        }

        internal static EditorWindow Open(Type type)
        {
            var open = s_Open.FirstOrDefault(type.IsInstanceOfType);
            if (open != null)
            {
                return open;
            }

            open = (EditorWindow)CreateInstance(type);
            s_Open.Add(open);
            BenchSide.Editor.WindowChanged(type.AssemblyQualifiedName, true);
            return open;
        }

        /// <summary>Draws every window, which finds what was typed or clicked, and then once more.</summary>
        internal static string DrawAll(string label, string value)
        {
            GuiInput.Begin(label, value);
            Draw();
            if (GuiInput.End() == null)
            {
                return null;
            }

            GuiInput.Begin(null, null);
            Draw();
            return GuiInput.End();
        }

        private static void Draw()
        {
            foreach (var window in s_Open.ToArray())
            {
                GUI.enabled = true;
                Messages.Send(window, "OnGUI");
                Messages.Send(window, "OnInspectorUpdate");
            }
        }
    }

    public enum MessageType
    {
        None,
        Info,
        Warning,
        Error,
    }

    public sealed class EditorGUI
    {
        public struct DisabledScope : IDisposable
        {
            private readonly bool m_Before;

            public DisabledScope(bool disabled)
            {
                m_Before = GUI.enabled;
                GUI.enabled &= !disabled;
            }

            public void Dispose() => GUI.enabled = m_Before;
        }
    }

    public sealed class EditorGUILayout
    {
        public static int IntField(string label, int value, params GUILayoutOption[] options) =>
            int.TryParse(GuiInput.Typed(label, value.ToString()), out var typed) ? typed : value;

        public static int IntField(GUIContent label, int value, params GUILayoutOption[] options) =>
            IntField(label.text, value, options);

        public static string TextField(string label, string text, params GUILayoutOption[] options) =>
            GuiInput.Typed(label, text);

        public static void LabelField(string label, params GUILayoutOption[] options) => GuiInput.Show(label);

        public static void LabelField(string label, string label2, params GUILayoutOption[] options) =>
            GuiInput.Show(label + ": " + label2);

        public static void HelpBox(string message, MessageType type) => GuiInput.Show(message);

        public static void HelpBox(string message, MessageType type, bool wide) => GuiInput.Show(message);

        public static void Space()
        {
        }
    }
}
