using System;

namespace UnityMcpPlugin
{
    /// <summary>The main thread has not run for a while.</summary>
    internal sealed class Blockage : IEquatable<Blockage>
    {
        public Blockage(long sinceMs, string dialog)
        {
            SinceMs = sinceMs;
            Dialog = dialog;
        }

        /// <summary>When it last ran, in milliseconds of the domain's clock.</summary>
        public long SinceMs { get; }

        /// <summary>The title of the open dialog; null if none is open, or visible.</summary>
        public string Dialog { get; }

        public bool Equals(Blockage other) => other != null && other.SinceMs == SinceMs && other.Dialog == Dialog;

        public override bool Equals(object other) => Equals(other as Blockage);

        public override int GetHashCode() => SinceMs.GetHashCode();
    }
}
