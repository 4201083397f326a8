internal static class Program
{
    private static int Main(string[] arguments) { return Tests.Run(arguments); }
}
