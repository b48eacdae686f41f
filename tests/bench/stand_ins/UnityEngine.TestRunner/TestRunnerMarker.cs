namespace UnityEngine.TestTools
{
    [System.Flags]
    public enum TestPlatform : byte
    {
        All = 255,
        EditMode = 2,
        PlayMode = 4,
    }
}
