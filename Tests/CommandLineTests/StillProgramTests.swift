import Glibc
import ProgramFixtures
import Testing

@Suite struct StillProgramTests {
    @Test("a program that does not end is ended, and the errors say what its threads did")
    func watch() async throws {
        let program = try Program("/bin/sleep", ["1000"], home: ProgramHome())
        let result = await program.result(within: 1)
        #expect(result.status == 128 + SIGKILL)
        #expect(result.errors.contains("did not end within 1 seconds"))
        // Its only thread; where it is, the system may hide.
        #expect(result.errors.contains("\(program.process) sleep"), "\(result.errors)")
    }
}
