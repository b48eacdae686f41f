using System;
namespace N
{
#if UNITY_EDITOR
    public class C : Base
    {
        [SerializeField] private int speed = 1;
        public string Name { get; set; }
        private void Update()
        {
            for (var i = 0; i < speed; i++) { Log($"{i}: {Name}"); }
            foreach (var each in Items) if (each != null) each.Act(() => speed);
        }
    }
#endif
}
