internal static class Program
{
    private static int Main(string[] arguments) { return arguments.Length == 1 && arguments[0] == "shop" ? Shop.Work() : Tests.Run(arguments); }
}
