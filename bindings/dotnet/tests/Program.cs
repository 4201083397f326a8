internal static class Program
{
    private static int Main(string[] arguments)
    {
        return arguments.Length == 1 && arguments[0] == LateCaller.Word ? LateCaller.Keep() : Tests.Run(arguments);
    }
}
