using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace UnityMcpPlugin.UnitRunner
{
    /// <summary>
    /// Runs an assembly's NUnit tests without NUnit's own runner, which Mono's distributions have in
    /// one version and Unity in another: Test, TestCase, SetUp. One line a test; the exit code is
    /// the number of those that failed.
    /// </summary>
    internal static class UnitRunner
    {
        private static int Main(string[] arguments)
        {
            var failed = 0;
            foreach (var fixture in Assembly.LoadFrom(arguments[0]).GetTypes().Where(type => type.IsPublic))
            {
                foreach (var method in fixture.GetMethods())
                {
                    foreach (var values in Cases(method))
                    {
                        var name = $"{fixture.Name}.{method.Name}({string.Join(", ", values.Select(Shown))})";
                        var problem = Problem(fixture, method, values);
                        failed += problem == null ? 0 : 1;
                        Console.WriteLine(problem == null ? $"ok {name}" : $"FAILED {name}\n{problem}");
                    }
                }
            }

            return Math.Min(failed, 100);
        }

        private static IEnumerable<object[]> Cases(MethodInfo method)
        {
            foreach (var attribute in method.GetCustomAttributes(true))
            {
                var type = attribute.GetType();
                if (type.FullName == "NUnit.Framework.TestAttribute")
                {
                    yield return new object[0];
                }
                else if (type.FullName == "NUnit.Framework.TestCaseAttribute")
                {
                    var values = (object[])type.GetProperty("Arguments").GetValue(attribute, null) ?? new object[] { null };
                    yield return values.Zip(method.GetParameters(), Converted).ToArray();
                }
            }
        }

        private static object Converted(object value, ParameterInfo parameter) =>
            value == null || parameter.ParameterType.IsInstanceOfType(value)
                ? value
                : Convert.ChangeType(value, parameter.ParameterType);

        private static string Problem(Type fixture, MethodInfo method, object[] values)
        {
            try
            {
                var instance = Activator.CreateInstance(fixture);
                foreach (var setUp in fixture.GetMethods().Where(IsSetUp))
                {
                    setUp.Invoke(instance, null);
                }

                method.Invoke(instance, values);
                return null;
            }
            catch (TargetInvocationException failure)
            {
                return failure.InnerException.ToString();
            }
        }

        private static bool IsSetUp(MethodInfo method) => method.GetCustomAttributes(true)
            .Any(attribute => attribute.GetType().FullName == "NUnit.Framework.SetUpAttribute");

        private static string Shown(object value) =>
            value == null ? "null" : $"\"{value}\"".Replace("\r", "\\r").Replace("\n", "\\n");
    }
}
