using System;

namespace UnityEngine
{
    public class UnityException : SystemException
    {
        public UnityException(string message) : base(message)
        {
        }
    }
}
