import CommandLine
import Glibc

@main
struct Program {
    static func main() async {
        exit(await HongyanProgram.run(Swift.CommandLine.arguments).rawValue)
    }
}
