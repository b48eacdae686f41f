namespace UnityEditor.MPE
{
    public enum ProcessLevel
    {
        Undefined = 0,
        Main = 1,
        Secondary = 2,
    }

    /// <summary>Which of Unity's processes this is; the bench is a main one.</summary>
    public class ProcessService
    {
        public static ProcessLevel level => ProcessLevel.Main;
    }
}
