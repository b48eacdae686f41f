using System;
using System.Runtime.InteropServices;
using System.Text;

namespace UnityBench
{
    /// <summary>Where a symbolic link leads, which the class libraries of both runtimes cannot tell.</summary>
    internal static class NativeLink
    {
        internal static string Read(string path)
        {
            var buffer = new byte[256];
            var length = (int)readlink(path, buffer, (IntPtr)buffer.Length);
            return length < 0 ? null : Encoding.UTF8.GetString(buffer, 0, length);
        }

        [DllImport("libc")]
        private static extern IntPtr readlink([MarshalAs(UnmanagedType.LPStr)] string path, byte[] buffer, IntPtr size);
    }
}
