using System;
using System.Runtime.InteropServices;
using System.Text;

namespace UnityBench
{
    /// <summary>What the class libraries of the two runtimes do not offer.</summary>
    internal static class Native
    {
        /// <summary>Where a symbolic link leads, or null.</summary>
        internal static string ReadLink(string path)
        {
            var buffer = new byte[256];
            var length = (int)readlink(path, buffer, (IntPtr)buffer.Length);
            return length < 0 ? null : Encoding.UTF8.GetString(buffer, 0, length);
        }

        /// <summary>Ends the process without waiting for anything that still runs in it.</summary>
        internal static void Exit(int code) => _exit(code);

        [DllImport("libc")]
        private static extern IntPtr readlink([MarshalAs(UnmanagedType.LPStr)] string path, byte[] buffer, IntPtr size);

        [DllImport("libc")]
        private static extern void _exit(int code);
    }
}
