using System;
using System.Reflection;

namespace UnityEngine
{
    /// <summary>Calls the methods that Unity finds by their names.</summary>
    internal static class Messages
    {
        private const BindingFlags All = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        internal static void Send(Object target, string message)
        {
            for (var type = target.GetType(); type != null && type != typeof(Object); type = type.BaseType)
            {
                var method = type.GetMethod(message, All | BindingFlags.DeclaredOnly, null, Type.EmptyTypes, null);
                if (method == null)
                {
                    continue;
                }

                try
                {
                    method.Invoke(target, null);
                }
                catch (TargetInvocationException exception)
                {
                    Debug.LogException(exception.InnerException);
                }

                return;
            }
        }
    }
}
