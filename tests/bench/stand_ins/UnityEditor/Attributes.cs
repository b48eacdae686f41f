using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public class InitializeOnLoadAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method)]
    public class InitializeOnLoadMethodAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    public sealed class MenuItem : Attribute
    {
        private static readonly Dictionary<string, MethodInfo> s_Commands = new Dictionary<string, MethodInfo>();

        public string menuItem;
        public bool validate;
        public int priority;

        public MenuItem(string itemName) : this(itemName, false)
        {
        }

        public MenuItem(string itemName, bool isValidateFunction) : this(itemName, isValidateFunction, 1000)
        {
        }

        public MenuItem(string itemName, bool isValidateFunction, int priority)
        {
            menuItem = itemName;
            validate = isValidateFunction;
            this.priority = priority;
        }

        internal static void Register(MenuItem item, MethodInfo method)
        {
            if (!item.validate)
            {
                s_Commands[item.menuItem] = method;
            }
        }

        internal static bool Execute(string path)
        {
            if (!s_Commands.TryGetValue(path, out var method))
            {
                return false;
            }

            method.Invoke(null, null);
            return true;
        }
    }
}
