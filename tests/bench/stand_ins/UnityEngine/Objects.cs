using System;

namespace UnityEngine
{
    [Flags]
    public enum HideFlags
    {
        None = 0,
        HideInHierarchy = 1,
        HideInInspector = 2,
        DontSaveInEditor = 4,
        NotEditable = 8,
        DontSaveInBuild = 16,
        DontUnloadUnusedAsset = 32,
        DontSave = DontSaveInEditor | DontSaveInBuild | DontUnloadUnusedAsset,
        HideAndDontSave = HideInHierarchy | DontSave | NotEditable,
    }

    public class Object
    {
        private bool m_Destroyed;

        public string name { get; set; } = "";

        public HideFlags hideFlags { get; set; }

        public static implicit operator bool(Object exists) => !ReferenceEquals(exists, null) && !exists.m_Destroyed;

        public static bool operator ==(Object x, Object y) => ReferenceEquals(x, y) || (!x && !y);

        public static bool operator !=(Object x, Object y) => !(x == y);

        public override bool Equals(object other) => other is Object that ? this == that : other == null && !this;

        public override int GetHashCode() => System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(this);

        public static void DestroyImmediate(Object obj)
        {
            BenchSide.MainThreadOnly("DestroyImmediate");
            if (obj)
            {
                Messages.Send(obj, "OnDisable");
                Messages.Send(obj, "OnDestroy");
                obj.m_Destroyed = true;
            }
        }
    }

    public class ScriptableObject : Object
    {
        public static ScriptableObject CreateInstance(Type type)
        {
            BenchSide.MainThreadOnly("CreateInstance");
            var created = (ScriptableObject)Activator.CreateInstance(type, true);
            Messages.Send(created, "Awake");
            Messages.Send(created, "OnEnable");
            return created;
        }

        public static T CreateInstance<T>() where T : ScriptableObject => (T)CreateInstance(typeof(T));
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field, AllowMultiple = false, Inherited = true)]
    public class TooltipAttribute : Attribute
    {
        public readonly string tooltip;

        public TooltipAttribute(string tooltip) => this.tooltip = tooltip;
    }
}
