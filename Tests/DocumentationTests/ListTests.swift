import Foundation
import Testing

@Suite("Lists that scripts keep", .timeLimit(.minutes(20)))
struct ListTests {
    @Test("the tables of supported extensions and doap.xml say what the sources say")
    func extensions() async throws {
        let script = try Program("Scripts/extensions", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    @Test("the notes about GTK are those of the functions that are used")
    func notes() async throws {
        let script = try Program("Scripts/api-notes", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    @Test("the numbers in the names of tests are numbers of the list")
    func acceptance() async throws {
        let script = try Program("Scripts/acceptance", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }
}
