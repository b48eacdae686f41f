// A stand-in for Unity's libraries: the types that scripts derive from, serialize and call most.
// What is missing here is an error before a rename and after it.
using System;
using System.Collections;
using System.Collections.Generic;

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static implicit operator bool(Object that) => that != null;
        public int GetInstanceID() => 0;
        public static void Destroy(Object that, float t = 0) { }
        public static void DestroyImmediate(Object that) { }
        public static void DontDestroyOnLoad(Object that) { }
        public static T Instantiate<T>(T that) where T : Object => that;
        public static T Instantiate<T>(T that, Transform parent) where T : Object => that;
        public static T Instantiate<T>(T that, Vector3 position, Quaternion rotation) where T : Object => that;
        public static T FindObjectOfType<T>() where T : Object => null;
        public static T[] FindObjectsOfType<T>() where T : Object => null;
        public static T FindFirstObjectByType<T>() where T : Object => null;
        public static T FindAnyObjectByType<T>() where T : Object => null;
    }

    public class Component : Object
    {
        public Transform transform => null;
        public GameObject gameObject => null;
        public string tag { get; set; }
        public T GetComponent<T>() => default;
        public Component GetComponent(Type type) => null;
        public bool TryGetComponent<T>(out T found) { found = default; return false; }
        public T GetComponentInChildren<T>(bool inactive = false) => default;
        public T GetComponentInParent<T>() => default;
        public T[] GetComponents<T>() => null;
        public T[] GetComponentsInChildren<T>(bool inactive = false) => null;
        public bool CompareTag(string tag) => false;
        public void SendMessage(string method) { }
        public void SendMessage(string method, object value) { }
        public void BroadcastMessage(string method) { }
        public void SendMessageUpwards(string method) { }
    }

    public class Behaviour : Component
    {
        public bool enabled { get; set; }
        public bool isActiveAndEnabled => false;
    }

    public class MonoBehaviour : Behaviour
    {
        public Coroutine StartCoroutine(IEnumerator routine) => null;
        public Coroutine StartCoroutine(string method) => null;
        public void StopCoroutine(IEnumerator routine) { }
        public void StopCoroutine(Coroutine routine) { }
        public void StopCoroutine(string method) { }
        public void StopAllCoroutines() { }
        public void Invoke(string method, float time) { }
        public void InvokeRepeating(string method, float time, float rate) { }
        public void CancelInvoke() { }
        public void CancelInvoke(string method) { }
        public bool IsInvoking(string method) => false;
        public static void print(object message) { }
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject => null;
        public static ScriptableObject CreateInstance(Type type) => null;
    }

    public class StateMachineBehaviour : ScriptableObject
    {
        public virtual void OnStateEnter(Animator animator, AnimatorStateInfo info, int layer) { }
        public virtual void OnStateUpdate(Animator animator, AnimatorStateInfo info, int layer) { }
        public virtual void OnStateExit(Animator animator, AnimatorStateInfo info, int layer) { }
    }

    public class GameObject : Object
    {
        public GameObject() { }
        public GameObject(string name, params Type[] components) { }
        public Transform transform => null;
        public bool activeSelf => false;
        public bool activeInHierarchy => false;
        public int layer { get; set; }
        public string tag { get; set; }
        public void SetActive(bool value) { }
        public T AddComponent<T>() where T : Component => null;
        public T GetComponent<T>() => default;
        public bool TryGetComponent<T>(out T found) { found = default; return false; }
        public T GetComponentInChildren<T>(bool inactive = false) => default;
        public T GetComponentInParent<T>() => default;
        public T[] GetComponents<T>() => null;
        public T[] GetComponentsInChildren<T>(bool inactive = false) => null;
        public bool CompareTag(string tag) => false;
        public void SendMessage(string method) { }
        public void SendMessage(string method, object value) { }
        public static GameObject Find(string name) => null;
        public static GameObject FindGameObjectWithTag(string tag) => null;
    }

    public class Transform : Component, IEnumerable
    {
        public Vector3 position { get; set; }
        public Vector3 localPosition { get; set; }
        public Vector3 localScale { get; set; }
        public Vector3 eulerAngles { get; set; }
        public Vector3 localEulerAngles { get; set; }
        public Vector3 forward { get; set; }
        public Vector3 right { get; set; }
        public Vector3 up { get; set; }
        public Quaternion rotation { get; set; }
        public Quaternion localRotation { get; set; }
        public Transform parent { get; set; }
        public int childCount => 0;
        public Transform GetChild(int index) => null;
        public Transform Find(string name) => null;
        public void SetParent(Transform parent, bool stays = true) { }
        public void Rotate(Vector3 by) { }
        public void Translate(Vector3 by) { }
        public void LookAt(Vector3 at) { }
        public IEnumerator GetEnumerator() => null;
    }

    public class RectTransform : Transform
    {
        public Rect rect => default;
        public Vector2 sizeDelta { get; set; }
        public Vector2 anchoredPosition { get; set; }
        public Vector2 anchorMin { get; set; }
        public Vector2 anchorMax { get; set; }
        public Vector2 pivot { get; set; }
    }

    public class Coroutine : YieldInstruction { }
    public class YieldInstruction { }
    public class WaitForSeconds : YieldInstruction { public WaitForSeconds(float seconds) { } }
    public class WaitForEndOfFrame : YieldInstruction { }
    public class WaitForFixedUpdate : YieldInstruction { }
    public abstract class CustomYieldInstruction : IEnumerator
    {
        public abstract bool keepWaiting { get; }
        public object Current => null;
        public bool MoveNext() => keepWaiting;
        public void Reset() { }
    }

    public class Animator : Behaviour
    {
        public float speed { get; set; }
        public void SetTrigger(string name) { }
        public void SetTrigger(int id) { }
        public void ResetTrigger(string name) { }
        public void SetBool(string name, bool value) { }
        public void SetBool(int id, bool value) { }
        public void SetFloat(string name, float value) { }
        public void SetFloat(int id, float value) { }
        public void SetInteger(string name, int value) { }
        public void Play(string name) { }
        public void Play(int id) { }
        public static int StringToHash(string name) => 0;
    }

    public struct AnimatorStateInfo { public float normalizedTime => 0; public bool IsName(string name) => false; }
    public class Renderer : Component { public Material material { get; set; } public Material sharedMaterial { get; set; } public bool enabled { get; set; } public Bounds bounds => default; }
    public class MeshRenderer : Renderer { }
    public class SkinnedMeshRenderer : Renderer { public Mesh sharedMesh { get; set; } public void SetBlendShapeWeight(int index, float value) { } }
    public class SpriteRenderer : Renderer { public Sprite sprite { get; set; } public Color color { get; set; } }
    public class LineRenderer : Renderer { }
    public class TrailRenderer : Renderer { }
    public class ParticleSystemRenderer : Renderer { }
    public class MeshFilter : Component { public Mesh mesh { get; set; } public Mesh sharedMesh { get; set; } }
    public class Collider : Component { public bool enabled { get; set; } public bool isTrigger { get; set; } public Rigidbody attachedRigidbody => null; public Bounds bounds => default; }
    public class BoxCollider : Collider { }
    public class SphereCollider : Collider { }
    public class CapsuleCollider : Collider { }
    public class MeshCollider : Collider { }
    public class CharacterController : Collider { }
    public class Collider2D : Behaviour { public Rigidbody2D attachedRigidbody => null; }
    public class Collision { public Collider collider => null; public GameObject gameObject => null; }
    public class Collision2D { public GameObject gameObject => null; }
    public class Rigidbody : Component { public Vector3 velocity { get; set; } public Vector3 linearVelocity { get; set; } public bool isKinematic { get; set; } public void AddForce(Vector3 force) { } }
    public class Rigidbody2D : Component { public Vector2 velocity { get; set; } }
    public class Camera : Behaviour { public static Camera main => null; public Vector3 WorldToScreenPoint(Vector3 at) => at; }
    public class Light : Behaviour { public float intensity { get; set; } public Color color { get; set; } }
    public class Canvas : Behaviour { }
    public class CanvasGroup : Behaviour { public float alpha { get; set; } public bool interactable { get; set; } public bool blocksRaycasts { get; set; } }
    public class CanvasRenderer : Component { }
    public class AudioListener : Behaviour { }
    public class AudioSource : Behaviour { public AudioClip clip { get; set; } public float volume { get; set; } public float pitch { get; set; } public bool loop { get; set; } public bool isPlaying => false; public void Play() { } public void Stop() { } public void PlayOneShot(AudioClip clip, float volume = 1) { } }
    public class ParticleSystem : Component { public void Play() { } public void Stop() { } }
    public class Animation : Behaviour { }
    public class TextMesh : Component { public string text { get; set; } }
    public class NetworkView : Behaviour { }
    public class AudioClip : Object { public float length => 0; }
    public class Material : Object { public Material(Material other) { } public Material(Shader shader) { } public Color color { get; set; } public Shader shader { get; set; } public void SetFloat(string name, float value) { } public void SetColor(string name, Color value) { } public void SetTexture(string name, Texture value) { } }
    public class PhysicMaterial : Object { }
    public class Shader : Object { public static Shader Find(string name) => null; public static int PropertyToID(string name) => 0; }
    public class Mesh : Object { public int vertexCount => 0; }
    public class Texture : Object { public int width { get; set; } public int height { get; set; } }
    public class Texture2D : Texture { public Texture2D(int width, int height) { } }
    public class RenderTexture : Texture { }
    public class Cubemap : Texture { }
    public class Sprite : Object { public Rect rect => default; public Texture2D texture => null; }
    public class Font : Object { }
    public class TextAsset : Object { public string text => ""; public byte[] bytes => null; }
    public class AnimationClip : Object { public float length => 0; }
    public class RuntimeAnimatorController : Object { }
    public class AnimatorOverrideController : RuntimeAnimatorController { }
    public class AvatarMask : Object { }
    public class Avatar : Object { }
    public class GUISkin : ScriptableObject { }
    [Serializable] public class AnimationCurve { public AnimationCurve(params Keyframe[] keys) { } public float Evaluate(float at) => 0; public static AnimationCurve Linear(float a, float b, float c, float d) => null; public static AnimationCurve EaseInOut(float a, float b, float c, float d) => null; public Keyframe[] keys { get; set; } }
    [Serializable] public struct Keyframe { public Keyframe(float time, float value) { } public float time { get; set; } public float value { get; set; } }
    [Serializable] public class Gradient { public Color Evaluate(float at) => default; }
    [Serializable] public class GUIStyle { public GUIStyle() { } public GUIStyle(GUIStyle other) { } public GUIStyle(string name) { } public static implicit operator GUIStyle(string name) => null; }
    [Serializable] public class RectOffset { public RectOffset() { } public RectOffset(int left, int right, int top, int bottom) { } public int left { get; set; } public int right { get; set; } public int top { get; set; } public int bottom { get; set; } }
    [Serializable] public struct LayerMask { public int value { get; set; } public static implicit operator int(LayerMask that) => 0; public static implicit operator LayerMask(int value) => default; public static int NameToLayer(string name) => 0; public static int GetMask(params string[] names) => 0; }
    [Serializable] public struct Hash128 { }
    public struct RaycastHit { public Collider collider => null; public Vector3 point { get; set; } public Vector3 normal { get; set; } public Transform transform => null; public float distance { get; set; } }
    public struct Ray { public Vector3 origin { get; set; } public Vector3 direction { get; set; } }

    [Serializable]
    public struct Vector2
    {
        public float x, y;
        public Vector2(float x, float y) => (this.x, this.y) = (x, y);
        public static Vector2 zero => default; public static Vector2 one => default; public static Vector2 up => default; public static Vector2 right => default;
        public float magnitude => 0; public float sqrMagnitude => 0; public Vector2 normalized => this;
        public static Vector2 operator +(Vector2 a, Vector2 b) => a; public static Vector2 operator -(Vector2 a, Vector2 b) => a; public static Vector2 operator -(Vector2 a) => a;
        public static Vector2 operator *(Vector2 a, float b) => a; public static Vector2 operator *(float b, Vector2 a) => a; public static Vector2 operator /(Vector2 a, float b) => a;
        public static bool operator ==(Vector2 a, Vector2 b) => true; public static bool operator !=(Vector2 a, Vector2 b) => false;
        public override bool Equals(object other) => false; public override int GetHashCode() => 0;
        public static implicit operator Vector2(Vector3 a) => default; public static implicit operator Vector3(Vector2 a) => default;
        public static float Distance(Vector2 a, Vector2 b) => 0; public static Vector2 Lerp(Vector2 a, Vector2 b, float t) => a;
    }

    [Serializable]
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z = 0) => (this.x, this.y, this.z) = (x, y, z);
        public static Vector3 zero => default; public static Vector3 one => default; public static Vector3 up => default; public static Vector3 down => default; public static Vector3 forward => default; public static Vector3 right => default; public static Vector3 left => default; public static Vector3 back => default;
        public float magnitude => 0; public float sqrMagnitude => 0; public Vector3 normalized => this; public void Normalize() { }
        public static Vector3 operator +(Vector3 a, Vector3 b) => a; public static Vector3 operator -(Vector3 a, Vector3 b) => a; public static Vector3 operator -(Vector3 a) => a;
        public static Vector3 operator *(Vector3 a, float b) => a; public static Vector3 operator *(float b, Vector3 a) => a; public static Vector3 operator /(Vector3 a, float b) => a;
        public static bool operator ==(Vector3 a, Vector3 b) => true; public static bool operator !=(Vector3 a, Vector3 b) => false;
        public override bool Equals(object other) => false; public override int GetHashCode() => 0;
        public static float Distance(Vector3 a, Vector3 b) => 0; public static Vector3 Lerp(Vector3 a, Vector3 b, float t) => a; public static float Dot(Vector3 a, Vector3 b) => 0; public static Vector3 Cross(Vector3 a, Vector3 b) => a; public static Vector3 MoveTowards(Vector3 a, Vector3 b, float t) => a;
    }

    [Serializable] public struct Vector4 { public float x, y, z, w; public Vector4(float x, float y, float z = 0, float w = 0) => (this.x, this.y, this.z, this.w) = (x, y, z, w); }
    [Serializable] public struct Vector2Int { public int x, y; public Vector2Int(int x, int y) => (this.x, this.y) = (x, y); }
    [Serializable] public struct Vector3Int { public int x, y, z; public Vector3Int(int x, int y, int z) => (this.x, this.y, this.z) = (x, y, z); }
    [Serializable] public struct Quaternion { public float x, y, z, w; public static Quaternion identity => default; public Vector3 eulerAngles { get; set; } public static Quaternion Euler(float x, float y, float z) => default; public static Quaternion Euler(Vector3 by) => default; public static Quaternion LookRotation(Vector3 at) => default; public static Quaternion Lerp(Quaternion a, Quaternion b, float t) => a; public static Quaternion Slerp(Quaternion a, Quaternion b, float t) => a; public static Quaternion operator *(Quaternion a, Quaternion b) => a; public static Vector3 operator *(Quaternion a, Vector3 b) => b; }
    [Serializable] public struct Matrix4x4 { }
    [Serializable] public struct Color { public float r, g, b, a; public Color(float r, float g, float b, float a = 1) => (this.r, this.g, this.b, this.a) = (r, g, b, a); public static Color white => default; public static Color black => default; public static Color red => default; public static Color green => default; public static Color blue => default; public static Color yellow => default; public static Color gray => default; public static Color clear => default; public static Color Lerp(Color a, Color b, float t) => a; public static Color operator *(Color a, float b) => a; public static bool operator ==(Color a, Color b) => true; public static bool operator !=(Color a, Color b) => false; public override bool Equals(object other) => false; public override int GetHashCode() => 0; }
    [Serializable] public struct Color32 { public byte r, g, b, a; public Color32(byte r, byte g, byte b, byte a) => (this.r, this.g, this.b, this.a) = (r, g, b, a); public static implicit operator Color(Color32 that) => default; public static implicit operator Color32(Color that) => default; }
    [Serializable] public struct Rect { public Rect(float x, float y, float width, float height) { } public float x { get; set; } public float y { get; set; } public float width { get; set; } public float height { get; set; } public float xMin { get; set; } public float xMax { get; set; } public float yMin { get; set; } public float yMax { get; set; } public Vector2 center { get; set; } public Vector2 size { get; set; } public Vector2 position { get; set; } public bool Contains(Vector2 at) => false; }
    [Serializable] public struct RectInt { }
    [Serializable] public struct Bounds { public Vector3 center { get; set; } public Vector3 size { get; set; } public Vector3 extents { get; set; } public Vector3 min { get; set; } public Vector3 max { get; set; } }
    [Serializable] public struct BoundsInt { }
    public static class Mathf { public const float PI = 3.14159f, Epsilon = 1e-9f, Infinity = float.PositiveInfinity, Deg2Rad = 1, Rad2Deg = 1; public static float Abs(float a) => a; public static int Abs(int a) => a; public static float Max(float a, float b) => a; public static int Max(int a, int b) => a; public static float Min(float a, float b) => a; public static int Min(int a, int b) => a; public static float Clamp(float a, float b, float c) => a; public static int Clamp(int a, int b, int c) => a; public static float Clamp01(float a) => a; public static float Lerp(float a, float b, float c) => a; public static float Sin(float a) => a; public static float Cos(float a) => a; public static float Sqrt(float a) => a; public static float Pow(float a, float b) => a; public static float Log10(float a) => a; public static float Floor(float a) => a; public static int FloorToInt(float a) => 0; public static int RoundToInt(float a) => 0; public static int CeilToInt(float a) => 0; public static float Round(float a) => a; public static bool Approximately(float a, float b) => true; public static float MoveTowards(float a, float b, float c) => a; public static float Repeat(float a, float b) => a; public static float PingPong(float a, float b) => a; public static float Sign(float a) => a; }
    public static class Time { public static float time => 0; public static float deltaTime => 0; public static float fixedDeltaTime => 0; public static float unscaledDeltaTime => 0; public static float unscaledTime => 0; public static float realtimeSinceStartup => 0; public static int frameCount => 0; public static float timeScale { get; set; } }
    public static class Debug { public static void Log(object message, Object at = null) { } public static void LogWarning(object message, Object at = null) { } public static void LogError(object message, Object at = null) { } public static void LogFormat(string format, params object[] values) { } public static void LogErrorFormat(string format, params object[] values) { } public static void LogWarningFormat(string format, params object[] values) { } public static void LogException(Exception error, Object at = null) { } public static void Assert(bool condition, string message = null) { } public static void DrawLine(Vector3 a, Vector3 b) { } public static void DrawRay(Vector3 a, Vector3 b) { } }
    public static class Application { public static bool isPlaying => false; public static bool isEditor => false; public static string dataPath => ""; public static string persistentDataPath => ""; public static int targetFrameRate { get; set; } public static void Quit() { } public static void OpenURL(string url) { } }
    public static class Input { public static Vector3 mousePosition => default; public static bool GetKey(KeyCode key) => false; public static bool GetKeyDown(KeyCode key) => false; public static bool GetMouseButton(int button) => false; public static bool GetMouseButtonDown(int button) => false; public static bool GetMouseButtonUp(int button) => false; public static float GetAxis(string name) => 0; public static bool GetButtonDown(string name) => false; }
    public enum KeyCode { None, A, B, C, D, E, Q, S, W, R, Space, Return, Escape, LeftShift, Tab, UpArrow, DownArrow, LeftArrow, RightArrow, Alpha0, Alpha1, Alpha2, Alpha3, F1, F2, F3 }
    public static class Random { public static float value => 0; public static float Range(float a, float b) => a; public static int Range(int a, int b) => a; public static Vector3 insideUnitSphere => default; }
    public static class PlayerPrefs { public static int GetInt(string key, int value = 0) => 0; public static float GetFloat(string key, float value = 0) => 0; public static string GetString(string key, string value = "") => ""; public static void SetInt(string key, int value) { } public static void SetFloat(string key, float value) { } public static void SetString(string key, string value) { } public static bool HasKey(string key) => false; public static void Save() { } public static void DeleteKey(string key) { } }
    public static class Resources { public static T Load<T>(string path) where T : Object => null; public static T[] LoadAll<T>(string path) where T : Object => null; }
    public static class Physics { public static bool Raycast(Ray ray, out RaycastHit hit, float distance = 0) { hit = default; return false; } public static bool Raycast(Vector3 from, Vector3 to, out RaycastHit hit, float distance = 0, int mask = 0) { hit = default; return false; } }
    public static class JsonUtility { public static string ToJson(object that, bool pretty = false) => ""; public static T FromJson<T>(string json) => default; public static void FromJsonOverwrite(string json, object onto) { } }

    [AttributeUsage(AttributeTargets.Field)] public sealed class SerializeField : Attribute { }
    [AttributeUsage(AttributeTargets.Field)] public sealed class SerializeReference : Attribute { }
    [AttributeUsage(AttributeTargets.Field)] public abstract class PropertyAttribute : Attribute { public int order { get; set; } }
    public class HideInInspector : Attribute { }
    public class HeaderAttribute : PropertyAttribute { public HeaderAttribute(string header) { } }
    public class TooltipAttribute : PropertyAttribute { public TooltipAttribute(string tooltip) { } }
    [AttributeUsage(AttributeTargets.Field, AllowMultiple = true)] public class SpaceAttribute : PropertyAttribute { public SpaceAttribute() { } public SpaceAttribute(float height) { } }
    public class RangeAttribute : PropertyAttribute { public RangeAttribute(float min, float max) { } }
    public class MinAttribute : PropertyAttribute { public MinAttribute(float min) { } }
    public class TextAreaAttribute : PropertyAttribute { public TextAreaAttribute() { } public TextAreaAttribute(int min, int max) { } }
    public class MultilineAttribute : PropertyAttribute { public MultilineAttribute() { } public MultilineAttribute(int lines) { } }
    public class ColorUsageAttribute : PropertyAttribute { public ColorUsageAttribute(bool alpha, bool hdr = false) { } }
    [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)] public sealed class RequireComponent : Attribute { public RequireComponent(Type type) { } public RequireComponent(Type type, Type other) { } public RequireComponent(Type type, Type other, Type third) { } }
    public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string name) { } public AddComponentMenu(string name, int order) { } }
    public sealed class CreateAssetMenuAttribute : Attribute { public string menuName { get; set; } public string fileName { get; set; } public int order { get; set; } }
    public sealed class DisallowMultipleComponent : Attribute { }
    public sealed class ExecuteInEditMode : Attribute { }
    public sealed class ExecuteAlways : Attribute { }
    public sealed class ContextMenu : Attribute { public ContextMenu(string name) { } }
    public sealed class SelectionBaseAttribute : Attribute { }
    public sealed class HelpURLAttribute : Attribute { public HelpURLAttribute(string url) { } }
    public sealed class DefaultExecutionOrder : Attribute { public DefaultExecutionOrder(int order) { } }
    public enum RuntimeInitializeLoadType { AfterSceneLoad, BeforeSceneLoad, AfterAssembliesLoaded, BeforeSplashScreen, SubsystemRegistration }
    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute { public RuntimeInitializeOnLoadMethodAttribute() { } public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType type) { } }
    public interface ISerializationCallbackReceiver { void OnBeforeSerialize(); void OnAfterDeserialize(); }
    public interface ICanvasRaycastFilter { }

    namespace Serialization
    {
        [AttributeUsage(AttributeTargets.Field, AllowMultiple = true)]
        public class FormerlySerializedAsAttribute : Attribute { public FormerlySerializedAsAttribute(string oldName) { } public string oldName => ""; }
    }

    namespace Scripting
    {
        public class PreserveAttribute : Attribute { }

        namespace APIUpdating
        {
            public class MovedFromAttribute : Attribute
            {
                public MovedFromAttribute(string sourceNamespace) { }
                public MovedFromAttribute(bool autoUpdateAPI, string sourceNamespace = null, string sourceAssembly = null, string sourceClassName = null) { }
            }
        }
    }

    namespace Events
    {
        public delegate void UnityAction();
        public delegate void UnityAction<T0>(T0 a);
        public delegate void UnityAction<T0, T1>(T0 a, T1 b);
        [Serializable] public abstract class UnityEventBase { public int GetPersistentEventCount() => 0; public string GetPersistentMethodName(int index) => ""; public Object GetPersistentTarget(int index) => null; public void RemoveAllListeners() { } }
        [Serializable] public class UnityEvent : UnityEventBase { public void AddListener(UnityAction call) { } public void RemoveListener(UnityAction call) { } public void Invoke() { } }
        [Serializable] public class UnityEvent<T0> : UnityEventBase { public void AddListener(UnityAction<T0> call) { } public void RemoveListener(UnityAction<T0> call) { } public void Invoke(T0 a) { } }
        [Serializable] public class UnityEvent<T0, T1, T2> : UnityEventBase { public void Invoke(T0 a, T1 b, T2 c) { } }
        [Serializable] public class UnityEvent<T0, T1> : UnityEventBase { public void AddListener(UnityAction<T0, T1> call) { } public void RemoveListener(UnityAction<T0, T1> call) { } public void Invoke(T0 a, T1 b) { } }
    }

    namespace EventSystems
    {
        public class BaseEventData { }
        public class PointerEventData : BaseEventData { public Vector2 position { get; set; } public Vector2 delta { get; set; } }
        public class UIBehaviour : MonoBehaviour { protected virtual void Awake() { } protected virtual void OnEnable() { } protected virtual void Start() { } protected virtual void OnDisable() { } protected virtual void OnDestroy() { } protected virtual void OnValidate() { } protected virtual void Reset() { } protected virtual void OnRectTransformDimensionsChange() { } protected virtual void OnCanvasHierarchyChanged() { } protected virtual void OnDidApplyAnimationProperties() { } protected virtual void OnTransformParentChanged() { } }
        public interface IEventSystemHandler { }
        public interface IPointerClickHandler : IEventSystemHandler { void OnPointerClick(PointerEventData data); }
        public interface IPointerEnterHandler : IEventSystemHandler { void OnPointerEnter(PointerEventData data); }
        public interface IPointerExitHandler : IEventSystemHandler { void OnPointerExit(PointerEventData data); }
        public interface IPointerDownHandler : IEventSystemHandler { void OnPointerDown(PointerEventData data); }
        public interface IPointerUpHandler : IEventSystemHandler { void OnPointerUp(PointerEventData data); }
        public interface IDragHandler : IEventSystemHandler { void OnDrag(PointerEventData data); }
        public interface IBeginDragHandler : IEventSystemHandler { void OnBeginDrag(PointerEventData data); }
        public interface IEndDragHandler : IEventSystemHandler { void OnEndDrag(PointerEventData data); }
        public class EventSystem : UIBehaviour { public static EventSystem current => null; }
    }

    namespace UI
    {
        public abstract class Graphic : EventSystems.UIBehaviour { public virtual Color color { get; set; } public virtual Material material { get; set; } public RectTransform rectTransform => null; public Canvas canvas => null; public virtual void SetVerticesDirty() { } public virtual void SetMaterialDirty() { } }
        public abstract class MaskableGraphic : Graphic { }
        public class Image : MaskableGraphic { public Sprite sprite { get; set; } public float fillAmount { get; set; } }
        public class RawImage : MaskableGraphic { public Texture texture { get; set; } }
        public class Text : MaskableGraphic { public virtual string text { get; set; } public int fontSize { get; set; } public Font font { get; set; } }
        public class Selectable : EventSystems.UIBehaviour { public bool interactable { get; set; } public void Select() { } }
        public class Button : Selectable { [Serializable] public class ButtonClickedEvent : Events.UnityEvent { } public ButtonClickedEvent onClick { get; set; } }
        public class Toggle : Selectable { public bool isOn { get; set; } public Events.UnityEvent<bool> onValueChanged; }
        public class Slider : Selectable { public float value { get; set; } public float minValue { get; set; } public float maxValue { get; set; } public Events.UnityEvent<float> onValueChanged { get; set; } }
        public class Dropdown : Selectable { public int value { get; set; } }
        public class InputField : Selectable { public string text { get; set; } }
        public class ScrollRect : EventSystems.UIBehaviour { }
        public class LayoutGroup : EventSystems.UIBehaviour { }
        public class HorizontalLayoutGroup : LayoutGroup { }
        public class VerticalLayoutGroup : LayoutGroup { }
        public class GridLayoutGroup : LayoutGroup { }
        public class LayoutElement : EventSystems.UIBehaviour { }
        public class ContentSizeFitter : EventSystems.UIBehaviour { }
        public abstract class BaseMeshEffect : EventSystems.UIBehaviour { public Graphic graphic => null; }
        public class VertexHelper { }
    }

    namespace SceneManagement
    {
        public enum LoadSceneMode { Single, Additive }
        public struct Scene { public string name => ""; public int buildIndex => 0; public string path => ""; }
        public static class SceneManager { public static Scene GetActiveScene() => default; public static void LoadScene(string name, LoadSceneMode mode = 0) { } public static void LoadScene(int index) { } }
    }

    namespace Playables
    {
        public struct Playable { }
        public struct PlayableGraph { }
        public struct FrameData { }
        public interface IPlayableBehaviour { }
        [Serializable] public abstract class PlayableBehaviour : IPlayableBehaviour { public virtual void ProcessFrame(Playable playable, FrameData info, object data) { } public virtual void OnBehaviourPlay(Playable playable, FrameData info) { } public virtual void OnBehaviourPause(Playable playable, FrameData info) { } public virtual void OnPlayableDestroy(Playable playable) { } }
        [Serializable] public abstract class PlayableAsset : ScriptableObject { public abstract Playable CreatePlayable(PlayableGraph graph, GameObject owner); public virtual double duration => 0; }
        public class PlayableDirector : Behaviour { public void Play() { } }
    }

    namespace Audio { public class AudioMixer : Object { public bool SetFloat(string name, float value) => false; } public class AudioMixerGroup : Object { } public class AudioMixerSnapshot : Object { } }
    namespace AI { public class NavMeshAgent : Behaviour { public float speed { get; set; } public bool SetDestination(Vector3 at) => false; } }
    namespace UIElements { public class VisualElement { public string name { get; set; } public void Add(VisualElement child) { } } public class Label : VisualElement { public string text { get; set; } } public class Button : VisualElement { public event Action clicked; } public class UIDocument : MonoBehaviour { public VisualElement rootVisualElement => null; } public class VisualTreeAsset : ScriptableObject { } public class StyleSheet : ScriptableObject { } public class PanelSettings : ScriptableObject { } }
}

namespace UnityEditor
{
    using UnityEngine;

    public class Editor : ScriptableObject { public Object target { get; set; } public Object[] targets => null; public SerializedObject serializedObject => null; public virtual void OnInspectorGUI() { } public virtual bool RequiresConstantRepaint() => false; public bool DrawDefaultInspector() => false; public void Repaint() { } }
    public class EditorWindow : ScriptableObject { public static T GetWindow<T>(string title = "") where T : EditorWindow => null; public void Repaint() { } public Rect position { get; set; } }
    public class PropertyDrawer { public virtual void OnGUI(Rect at, SerializedProperty property, GUIContent label) { } public virtual float GetPropertyHeight(SerializedProperty property, GUIContent label) => 0; }
    public class SerializedObject { public SerializedObject(Object that) { } public SerializedProperty FindProperty(string path) => null; public bool ApplyModifiedProperties() => false; public void Update() { } public Object targetObject => null; }
    public class SerializedProperty { public SerializedProperty FindPropertyRelative(string path) => null; public float floatValue { get; set; } public int intValue { get; set; } public bool boolValue { get; set; } public string stringValue { get; set; } public int enumValueIndex { get; set; } public Object objectReferenceValue { get; set; } public int arraySize { get; set; } public SerializedProperty GetArrayElementAtIndex(int index) => null; public string propertyPath => ""; public SerializedObject serializedObject => null; }
    public sealed class CustomEditor : System.Attribute { public CustomEditor(System.Type type, bool children = false) { } }
    public sealed class CanEditMultipleObjects : System.Attribute { }
    public sealed class CustomPropertyDrawer : System.Attribute { public CustomPropertyDrawer(System.Type type, bool children = false) { } }
    public sealed class MenuItem : System.Attribute { public MenuItem(string path) { } public MenuItem(string path, bool validate) { } public MenuItem(string path, bool validate, int priority) { } }
    public sealed class InitializeOnLoadAttribute : System.Attribute { }
}

namespace UnityEngine
{
    public class GUIContent { public GUIContent() { } public GUIContent(string text, string tooltip = "") { } public string text { get; set; } public static GUIContent none => null; }
}

// Less of what is used less.
namespace UnityEngine
{
    [Flags] public enum HideFlags { None, HideInHierarchy, HideInInspector, DontSave = 52, NotEditable = 8, HideAndDontSave = 61, DontSaveInEditor = 4, DontSaveInBuild = 16 }
    public enum TextureWrapMode { Repeat, Clamp, Mirror }
    public enum FilterMode { Point, Bilinear, Trilinear }
    public enum TextureFormat { RGBA32, ARGB32 }
    public enum GradientMode { Blend, Fixed, PerceptualBlend }
    public enum LogType { Error, Assert, Warning, Log, Exception }
    public enum Space { World, Self }
    public enum ForceMode { Force, Impulse }
    public enum ForceMode2D { Force, Impulse }
    public enum CapsuleDirection2D { Vertical, Horizontal }
    public enum QueryTriggerInteraction { UseGlobal, Ignore, Collide }
    public enum EventType { MouseDown, MouseUp, MouseDrag, MouseMove, KeyDown, KeyUp, Repaint, Layout, Used, ContextClick, ScrollWheel, DragUpdated, DragPerform, ValidateCommand, ExecuteCommand, Ignore }
    public enum TextAnchor { UpperLeft, UpperCenter, UpperRight, MiddleLeft, MiddleCenter, MiddleRight, LowerLeft, LowerCenter, LowerRight }
    public enum FontStyle { Normal, Bold, Italic, BoldAndItalic }
    public enum CursorLockMode { None, Locked, Confined }
    public enum RuntimePlatform { WindowsEditor, WebGLPlayer, Android, IPhonePlayer }
    public enum SystemLanguage { English, Japanese, Unknown }
    public struct GradientColorKey { public Color color; public float time; public GradientColorKey(Color color, float time) => (this.color, this.time) = (color, time); }
    public struct GradientAlphaKey { public float alpha, time; public GradientAlphaKey(float alpha, float time) => (this.alpha, this.time) = (alpha, time); }
    public struct UIVertex { public Vector3 position, normal; public Vector4 uv0, uv1, uv2, uv3, tangent; public Color32 color; public static UIVertex simpleVert => default; }
    public struct RaycastHit2D { public Collider2D collider => null; public Vector2 point => default; public Transform transform => null; public static implicit operator bool(RaycastHit2D that) => false; }
    public struct Plane { }
    public struct Resolution { public int width, height; }
    public struct Touch { public Vector2 position => default; public int fingerId => 0; }
    public class ControllerColliderHit { public Collider collider => null; }
    public class ShaderVariantCollection : Object { }
    public class ComputeShader : Object { }
    public class MaterialPropertyBlock { public void SetFloat(string name, float value) { } public void SetColor(string name, Color value) { } }
    public class WWWForm { public void AddField(string name, string value) { } }
    public class WWW { public WWW(string url) { } }
    public class AsyncOperation : YieldInstruction { public bool isDone => false; public float progress => 0; }
    public class AssetBundle : Object { }
    public class Event { public static Event current => null; public EventType type { get; set; } public Vector2 mousePosition { get; set; } public int button { get; set; } public KeyCode keyCode { get; set; } public void Use() { } }
    public class GUILayoutOption { }
    public static class GUILayout { public static GUILayoutOption Width(float width) => null; public static GUILayoutOption Height(float height) => null; public static bool Button(string text, params GUILayoutOption[] options) => false; public static void Label(string text, params GUILayoutOption[] options) { } public static void BeginHorizontal(params GUILayoutOption[] options) { } public static void EndHorizontal() { } public static void BeginVertical(params GUILayoutOption[] options) { } public static void EndVertical() { } public static void Space(float pixels) { } public static void FlexibleSpace() { } }
    public static class GUI { public static Color color { get; set; } public static Color backgroundColor { get; set; } public static bool enabled { get; set; } public static bool changed { get; set; } public static GUISkin skin { get; set; } public static bool Button(Rect at, string text) => false; public static void Label(Rect at, string text) { } public static void Box(Rect at, string text) { } }
    public static class Screen { public static int width => 0; public static int height => 0; public static float dpi => 0; }
    public static class Gizmos { public static Color color { get; set; } public static void DrawLine(Vector3 a, Vector3 b) { } public static void DrawSphere(Vector3 at, float radius) { } public static void DrawWireSphere(Vector3 at, float radius) { } public static void DrawCube(Vector3 at, Vector3 size) { } public static void DrawWireCube(Vector3 at, Vector3 size) { } }
    public static class Graphics { }
    public static class QualitySettings { }
    public static class SystemInfo { }
    public static class Cursor { public static bool visible { get; set; } public static CursorLockMode lockState { get; set; } }
    public class UnityException : Exception { public UnityException(string message) : base(message) { } }
    public class ContextMenuItemAttribute : PropertyAttribute { public ContextMenuItemAttribute(string name, string method) { } }
    public class GradientUsageAttribute : PropertyAttribute { public GradientUsageAttribute(bool hdr) { } }
    public class DelayedAttribute : PropertyAttribute { }
    public sealed class ImageEffectAllowedInSceneView : Attribute { }
    public class Joint : Component { }
    public class Terrain : Behaviour { }
    public class ReflectionProbe : Behaviour { }
    public class TextGenerator { }
    public class Ping { }
    namespace Rendering { public enum BlendMode { Zero, One, DstColor, SrcColor, OneMinusDstColor, SrcAlpha, OneMinusSrcColor, DstAlpha, OneMinusDstAlpha, SrcAlphaSaturate, OneMinusSrcAlpha } public enum CompareFunction { Disabled, Never, Less, Equal, Always } public enum ShadowCastingMode { Off, On } public class CommandBuffer { } public class RenderPipelineAsset : ScriptableObject { } public static class GraphicsSettings { } public class ShaderKeyword { } }
    namespace Profiling { public static class Profiler { public static void BeginSample(string name) { } public static void EndSample() { } } }
    namespace Pool { public interface IObjectPool<T> where T : class { T Get(); void Release(T that); void Clear(); int CountInactive { get; } } public class ObjectPool<T> : IObjectPool<T> where T : class { public ObjectPool(Func<T> create, Action<T> get = null, Action<T> release = null, Action<T> destroy = null, bool check = true, int size = 10, int most = 10000) { } public T Get() => null; public void Release(T that) { } public void Clear() { } public int CountInactive => 0; } }
    namespace Networking { public class UnityWebRequest { public static UnityWebRequest Get(string url) => null; } }
    namespace Assertions { public static class Assert { public static void IsTrue(bool condition, string message = null) { } public static void IsNotNull<T>(T value, string message = null) { } public static void AreEqual<T>(T a, T b, string message = null) { } } }
    namespace Analytics { }
    namespace Animations { }
    namespace TestTools { public class UnityTestAttribute : Attribute { } }
    namespace Timeline { [Flags] public enum ClipCaps { None, Looping, Blending } public interface ITimelineClipAsset { ClipCaps clipCaps { get; } } public class TimelineClip { public double start { get; set; } public double duration { get; set; } public string displayName { get; set; } public Object asset { get; set; } } public abstract class TrackAsset : Playables.PlayableAsset { public override Playables.Playable CreatePlayable(Playables.PlayableGraph graph, GameObject owner) => default; public virtual Playables.Playable CreateTrackMixer(Playables.PlayableGraph graph, GameObject owner, int inputs) => default; public IEnumerable<TimelineClip> GetClips() => null; } public class TimelineAsset : Playables.PlayableAsset { public override Playables.Playable CreatePlayable(Playables.PlayableGraph graph, GameObject owner) => default; } public class Marker : ScriptableObject { } public class TrackColorAttribute : Attribute { public TrackColorAttribute(float r, float g, float b) { } } [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)] public class TrackClipTypeAttribute : Attribute { public TrackClipTypeAttribute(Type type) { } } public class TrackBindingTypeAttribute : Attribute { public TrackBindingTypeAttribute(Type type) { } } }
    namespace UI { public interface IMeshModifier { void ModifyMesh(Mesh mesh); void ModifyMesh(VertexHelper helper); } public interface IMaterialModifier { Material GetModifiedMaterial(Material material); } public class Scrollbar : Selectable { } public class Mask : EventSystems.UIBehaviour { } public class CanvasScaler : EventSystems.UIBehaviour { } public class GraphicRaycaster : EventSystems.UIBehaviour { } }
    namespace EventSystems { public class StandaloneInputModule : UIBehaviour { } public class EventTrigger : MonoBehaviour { } }
}

namespace TMPro
{
    public enum TextAlignmentOptions { Left, Center, Right }
    public abstract class TMP_Text : UnityEngine.UI.MaskableGraphic { public virtual string text { get; set; } public float fontSize { get; set; } public TextAlignmentOptions alignment { get; set; } }
    public class TextMeshProUGUI : TMP_Text { }
    public class TextMeshPro : TMP_Text { }
    public class TMP_InputField : UnityEngine.UI.Selectable { public string text { get; set; } }
    public class TMP_Dropdown : UnityEngine.UI.Selectable { public int value { get; set; } }
    public class TMP_FontAsset : UnityEngine.ScriptableObject { }
}

namespace Unity.Collections { public enum Allocator { Temp, TempJob, Persistent } public enum NativeArrayOptions { ClearMemory, UninitializedMemory } public struct NativeArray<T> : System.IDisposable where T : struct { public NativeArray(int length, Allocator allocator, NativeArrayOptions options = 0) { } public int Length => 0; public T this[int index] { get => default; set { } } public bool IsCreated => false; public void Dispose() { } public void CopyFrom(T[] from) { } public void CopyTo(T[] to) { } } public struct NativeSlice<T> where T : struct { public int Length => 0; public T this[int index] { get => default; set { } } } public class ReadOnlyAttribute : System.Attribute { } public class WriteOnlyAttribute : System.Attribute { } public class DeallocateOnJobCompletionAttribute : System.Attribute { } }
namespace Unity.Collections.LowLevel.Unsafe { public class NativeDisableUnsafePtrRestrictionAttribute : System.Attribute { } }
namespace Unity.Jobs { public interface IJob { void Execute(); } public struct JobHandle { public void Complete() { } public bool IsCompleted => false; } }
namespace Unity.Burst { public class BurstCompileAttribute : System.Attribute { } }
namespace Unity.Mathematics { public static class math { public static float abs(float a) => a; public static float sqrt(float a) => a; public static float max(float a, float b) => a; public static float min(float a, float b) => a; public static float log10(float a) => a; public static float pow(float a, float b) => a; public static float sin(float a) => a; public static float cos(float a) => a; public const float PI = 3; } }

namespace UnityEditor
{
    using UnityEngine;

    public enum MessageType { None, Info, Warning, Error }
    public enum PlayModeStateChange { EnteredEditMode, ExitingEditMode, EnteredPlayMode, ExitingPlayMode }
    public enum SettingsScope { User, Project }
    [System.Flags] public enum GizmoType { Selected, NonSelected, Active, InSelectionHierarchy }
    public enum SerializedPropertyType { Generic, Integer, Boolean, Float, String, Color, ObjectReference, Enum, Vector2, Vector3, ManagedReference }
    public class AssetPostprocessor { }
    public class AssetModificationProcessor { }
    public class SettingsProvider { public SettingsProvider(string path, SettingsScope scope) { } public string label { get; set; } public System.Action<string> guiHandler { get; set; } }
    public class GenericMenu { public delegate void MenuFunction(); public delegate void MenuFunction2(object data); public void AddItem(GUIContent content, bool on, MenuFunction call) { } public void AddItem(GUIContent content, bool on, MenuFunction2 call, object data) { } public void AddDisabledItem(GUIContent content) { } public void AddSeparator(string path) { } public void ShowAsContext() { } public void DropDown(Rect at) { } }
    public class PopupWindowContent { public virtual void OnGUI(Rect at) { } public virtual Vector2 GetWindowSize() => default; }
    public class ScriptableWizard : EditorWindow { public static T DisplayWizard<T>(string title, string button = "") where T : ScriptableWizard => null; }
    public interface IHasCustomMenu { void AddItemsToMenu(GenericMenu menu); }
    public class DecoratorDrawer { public virtual void OnGUI(Rect at) { } public virtual float GetHeight() => 0; }
    public class MaterialEditor : Editor { }
    public class SceneAsset : Object { }
    public class MonoScript : TextAsset { }
    public class DefaultAsset : Object { }
    public struct EditorCurveBinding { public string path, propertyName; public System.Type type { get; set; } }
    public class InitializeOnLoadMethodAttribute : System.Attribute { }
    public class SettingsProviderAttribute : System.Attribute { }
    public class DrawGizmo : System.Attribute { public DrawGizmo(GizmoType type) { } }
    public static class EditorGUILayout { public static bool PropertyField(SerializedProperty property, params GUILayoutOption[] options) => false; public static bool PropertyField(SerializedProperty property, GUIContent label, params GUILayoutOption[] options) => false; public static bool PropertyField(SerializedProperty property, GUIContent label, bool children) => false; public static void Space() { } public static void LabelField(string text, params GUILayoutOption[] options) { } public static void HelpBox(string text, MessageType type) { } public static string TextField(string label, string text) => text; public static bool Toggle(string label, bool value) => value; public static int Popup(string label, int index, string[] options) => index; public static Object ObjectField(string label, Object value, System.Type type, bool scene) => value; public static bool Foldout(bool open, string label) => open; }
    public static class EditorGUI { public static int indentLevel { get; set; } public static bool PropertyField(Rect at, SerializedProperty property, GUIContent label = null, bool children = false) => false; public static void BeginChangeCheck() { } public static bool EndChangeCheck() => false; public static float GetPropertyHeight(SerializedProperty property, GUIContent label = null, bool children = true) => 0; public static void BeginDisabledGroup(bool disabled) { } public static void EndDisabledGroup() { } public static GUIContent BeginProperty(Rect at, GUIContent label, SerializedProperty property) => null; public static void EndProperty() { } }
    public static class EditorGUIUtility { public static float singleLineHeight => 0; public static float standardVerticalSpacing => 0; public static float labelWidth { get; set; } }
    public static class AssetDatabase { public static T LoadAssetAtPath<T>(string path) where T : Object => null; public static string GetAssetPath(Object that) => ""; public static string GUIDToAssetPath(string guid) => ""; public static string AssetPathToGUID(string path) => ""; public static string[] FindAssets(string filter) => null; public static void SaveAssets() { } public static void Refresh() { } public static void CreateAsset(Object that, string path) { } }
    public static class EditorUtility { public static void SetDirty(Object that) { } public static bool DisplayDialog(string title, string text, string ok, string cancel = "") => false; }
    public static class EditorApplication { public static bool isPlaying { get; set; } public static System.Action update; public static System.Action delayCall; public static bool isPlayingOrWillChangePlaymode => false; }
    public static class Undo { public static void RecordObject(Object that, string name) { } public static void RegisterCreatedObjectUndo(Object that, string name) { } public static void DestroyObjectImmediate(Object that) { } }
    public static class EditorPrefs { public static bool GetBool(string key, bool value = false) => value; public static void SetBool(string key, bool value) { } }
    public static class Selection { public static Object activeObject { get; set; } public static GameObject activeGameObject { get; set; } public static GameObject[] gameObjects => null; public static Object[] objects { get; set; } }
    public static class EditorStyles { public static GUIStyle boldLabel => null; public static GUIStyle label => null; public static GUIStyle miniButton => null; public static GUIStyle foldout => null; }
    namespace Callbacks { public class DidReloadScripts : System.Attribute { public DidReloadScripts() { } } }
    namespace SceneManagement { public static class EditorSceneManager { } public static class PrefabStageUtility { } }
    namespace Build { public interface IOrderedCallback { int callbackOrder { get; } } public interface IPreprocessBuildWithReport : IOrderedCallback { void OnPreprocessBuild(Reporting.BuildReport report); } public interface IPostprocessBuildWithReport : IOrderedCallback { void OnPostprocessBuild(Reporting.BuildReport report); } namespace Reporting { public class BuildReport { } } }
    namespace PackageManager { namespace Requests { } public class PackageInfo { } }
    namespace Experimental.SceneManagement { }
    namespace Rendering { }
    namespace UIElements { }
    namespace IMGUI.Controls { public class AdvancedDropdownState { } public class AdvancedDropdownItem { public AdvancedDropdownItem(string name) { } public string name { get; set; } public int id { get; set; } public void AddChild(AdvancedDropdownItem child) { } } public abstract class AdvancedDropdown { protected AdvancedDropdown(AdvancedDropdownState state) { } protected abstract AdvancedDropdownItem BuildRoot(); protected virtual void ItemSelected(AdvancedDropdownItem item) { } protected Vector2 minimumSize { get; set; } public void Show(Rect at) { } } }
    namespace Timeline { public class ClipEditor { } public class TrackEditor { } public struct ClipBackgroundRegion { } public class CustomTimelineEditorAttribute : System.Attribute { public CustomTimelineEditorAttribute(System.Type type) { } } }
}

namespace UnityEditorInternal { public class ReorderableList { public ReorderableList(UnityEditor.SerializedObject of, UnityEditor.SerializedProperty property, bool drag = true, bool header = true, bool add = true, bool remove = true) { } public delegate void Drawing(UnityEngine.Rect at, int index, bool active, bool focused); public Drawing drawElementCallback; public int index { get; set; } public void DoLayoutList() { } public void DoList(UnityEngine.Rect at) { } } public static class InternalEditorUtility { } }
namespace NUnit.Framework { public class TestAttribute : System.Attribute { } public class TestFixtureAttribute : System.Attribute { } public class SetUpAttribute : System.Attribute { } public class TearDownAttribute : System.Attribute { } public class OneTimeSetUpAttribute : System.Attribute { } public class OneTimeTearDownAttribute : System.Attribute { } [System.AttributeUsage(System.AttributeTargets.Method, AllowMultiple = true)] public class TestCaseAttribute : System.Attribute { public TestCaseAttribute(params object[] values) { } } public class TestCaseSourceAttribute : System.Attribute { public TestCaseSourceAttribute(string name) { } } public class TestCaseData { public TestCaseData(params object[] values) { } } public static class Assert { public static void AreEqual(object a, object b, string message = null) { } public static void IsTrue(bool condition, string message = null) { } public static void IsFalse(bool condition, string message = null) { } public static void IsNull(object value) { } public static void IsNotNull(object value) { } } }
