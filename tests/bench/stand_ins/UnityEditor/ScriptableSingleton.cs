using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using UnityEngine;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public class FilePathAttribute : Attribute
    {
        public enum Location
        {
            PreferencesFolder,
            ProjectFolder,
        }

        public FilePathAttribute(string relativePath, Location location)
        {
            if (string.IsNullOrEmpty(relativePath))
            {
                throw new ArgumentException("Invalid relative path (it is empty)");
            }

            filepath = relativePath;
            if (location != Location.ProjectFolder)
            {
                throw new NotSupportedException("The bench has no preferences folder");
            }
        }

        internal string filepath { get; }
    }

    public class ScriptableSingleton<T> : ScriptableObject where T : ScriptableObject
    {
        private static T s_Instance;

        protected ScriptableSingleton()
        {
            if (s_Instance != null)
            {
                Debug.LogError("ScriptableSingleton already exists. Did you query the singleton in a constructor?");
            }
            else
            {
                s_Instance = (T)(object)this;
            }
        }

        public static T instance
        {
            get
            {
                if (s_Instance == null)
                {
                    CreateInstance<T>();
                    SerializedAsset.Load(GetFilePath(), s_Instance);
                }

                return s_Instance;
            }
        }

        protected static string GetFilePath()
        {
            var attribute = typeof(T).GetCustomAttribute<FilePathAttribute>(true);
            return attribute == null ? "" : Path.Combine(BenchSide.Editor.ProjectFolder, attribute.filepath);
        }

        protected virtual void Save(bool saveAsText)
        {
            if (s_Instance == null)
            {
                Debug.LogError("Cannot save ScriptableSingleton: no instance!");
                return;
            }

            if (GetFilePath() != "")
            {
                SerializedAsset.Save(GetFilePath(), s_Instance);
            }
        }
    }

    /// <summary>An object's fields as an asset in Unity's text form; values are scalars.</summary>
    internal static class SerializedAsset
    {
        internal static void Load(string path, ScriptableObject target)
        {
            if (path == "" || !File.Exists(path))
            {
                return;
            }

            var values = new Dictionary<string, string>();
            if (!File.ReadAllText(path).Contains(Script(target.GetType())))
            {
                return; // An asset of no known script is none of this class, and nothing is said of it.
            }

            foreach (var line in File.ReadAllLines(path))
            {
                var colon = line.IndexOf(':');
                if (line.StartsWith("  ", StringComparison.Ordinal) && colon > 0)
                {
                    values[line.Substring(0, colon).Trim()] = line.Substring(colon + 1).Trim();
                }
            }

            foreach (var field in Fields(target.GetType()))
            {
                if (values.TryGetValue(field.Name, out var value))
                {
                    field.SetValue(target, Parsed(value, field.FieldType));
                }
            }
        }

        internal static void Save(string path, ScriptableObject source)
        {
            var lines = new List<string>
            {
                "%YAML 1.1",
                "%TAG !u! tag:unity3d.com,2011:",
                "--- !u!114 &1",
                "MonoBehaviour:",
                "  m_ObjectHideFlags: " + (int)source.hideFlags,
                "  m_Enabled: 1",
                "  m_EditorHideFlags: 0",
                Script(source.GetType()),
                "  m_Name: " + source.name,
                "  m_EditorClassIdentifier: ",
            };
            foreach (var field in Fields(source.GetType()))
            {
                var value = field.GetValue(source);
                var text = value is bool flag ? (flag ? "1" : "0") : Convert.ToString(value, CultureInfo.InvariantCulture);
                lines.Add("  " + field.Name + ": " + text);
            }

            Directory.CreateDirectory(Path.GetDirectoryName(path));
            File.WriteAllText(path, string.Join("\n", lines) + "\n");
        }

        /// <summary>The line that names a class's script: the bench puts the identifiers beside the assembly.</summary>
        private static string Script(Type type)
        {
            var known = Path.ChangeExtension(type.Assembly.Location, ".scripts.txt");
            var lines = File.Exists(known) ? File.ReadAllLines(known) : new string[0];
            var guid = Array.Find(lines, line => line.StartsWith(type.Name + " ", StringComparison.Ordinal));
            return "  m_Script: {fileID: 11500000, guid: " + (guid ?? type.Name + " unknown").Split(' ')[1] + ", type: 3}";
        }

        private static IEnumerable<FieldInfo> Fields(Type type)
        {
            foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
            {
                var serialized = field.IsPublic
                    ? !field.IsDefined(typeof(NonSerializedAttribute), false)
                    : field.IsDefined(typeof(SerializeField), false);
                if (serialized && !field.IsInitOnly)
                {
                    yield return field;
                }
            }
        }

        private static object Parsed(string value, Type type)
        {
            if (type == typeof(string))
            {
                return value;
            }

            if (type == typeof(bool))
            {
                return value == "1";
            }

            // What is no number reads as zero, as Unity's own reader has it.
            double.TryParse(value, NumberStyles.Float, CultureInfo.InvariantCulture, out var number);
            return Convert.ChangeType(number, type, CultureInfo.InvariantCulture);
        }
    }
}
