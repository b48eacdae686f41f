using System.Collections.Generic;

namespace UnityEngine
{
    public struct Vector2
    {
        public float x;
        public float y;

        public Vector2(float x, float y)
        {
            this.x = x;
            this.y = y;
        }
    }

    public class Texture : Object
    {
    }

    public class GUIContent
    {
        public static GUIContent none = new GUIContent("");

        public GUIContent(string text) => this.text = text;

        public GUIContent(string text, string tooltip)
        {
            this.text = text;
            this.tooltip = tooltip;
        }

        public string text { get; set; }

        public string tooltip { get; set; }
    }

    public sealed class GUILayoutOption
    {
        internal GUILayoutOption()
        {
        }
    }

    public class GUI
    {
        public static bool enabled { get; set; } = true;

        public static void FocusControl(string name)
        {
        }

        public static void SetNextControlName(string name)
        {
        }
    }

    public class GUILayout
    {
        public static bool Button(string text, params GUILayoutOption[] options) => GuiInput.Click(text);

        public static bool Button(GUIContent content, params GUILayoutOption[] options) => GuiInput.Click(content.text);

        public static void Label(string text, params GUILayoutOption[] options) => GuiInput.Show(text);

        public static void Space(float pixels)
        {
        }

        public static void FlexibleSpace()
        {
        }

        public static GUILayoutOption Width(float width) => new GUILayoutOption();

        public static GUILayoutOption Height(float height) => new GUILayoutOption();

        public static GUILayoutOption ExpandWidth(bool expand) => new GUILayoutOption();
    }

    /// <summary>What the bench's user types and clicks, and what the windows show.</summary>
    internal static class GuiInput
    {
        private static readonly List<string> s_Shown = new List<string>();
        private static string s_Label;
        private static string s_Value;

        /// <summary>The next drawing of the windows finds this; a null value is a click.</summary>
        internal static void Begin(string label, string value)
        {
            s_Label = label;
            s_Value = value;
            s_Shown.Clear();
        }

        /// <summary>What was shown; null when nothing had the label that was typed into.</summary>
        internal static string End()
        {
            var taken = s_Label == null;
            s_Label = null;
            return taken ? string.Join("\n", s_Shown) : null;
        }

        internal static void Show(string text)
        {
            if (!string.IsNullOrEmpty(text))
            {
                s_Shown.Add(text);
            }
        }

        internal static bool Click(string label)
        {
            Show("[" + label + "]");
            return GUI.enabled && s_Value == null && Taken(label);
        }

        internal static string Typed(string label, string current)
        {
            Show(label + ": " + current);
            return GUI.enabled && s_Value != null && Taken(label) ? s_Value : current;
        }

        private static bool Taken(string label)
        {
            var taken = s_Label != null && s_Label == label;
            s_Label = taken ? null : s_Label;
            return taken;
        }
    }
}
