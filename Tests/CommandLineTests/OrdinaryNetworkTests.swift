import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

/// `hongyan` in a network where it is told neither host nor port: `ordinary-network.sh` makes one, with a name server.
@Suite struct OrdinaryNetworkTests {
    @Test("S0-20, S0-21: without host and port the domain of the address is used, and port 5222")
    func domainAlone() async throws {
        let home = try ProgramHome()
        let folder = home.path + "/network"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let here = (#filePath as NSString).deletingLastPathComponent
        let scripts = ((here as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent + "/Scripts"
        // The address of a sound server and of a bus are none here either.
        let result = try await Program(
            "/bin/bash", [here + "/ordinary-network.sh", scripts, Program.folder + "/hongyan", folder], home: home
        ).result()
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(result.status == 0 && lines.count >= 3, "\(result.output)\(result.errors)")
        #expect(lines.first == "Registered juliet@hongyan.test.")
        #expect(lines.contains { $0.hasPrefix("online: a new session, juliet@hongyan.test/") })
        let account = try #require(Program.objects(result.output).first)
        #expect(account["account"] as? String == "juliet@hongyan.test")
        #expect(account["host"] == nil && account["port"] == nil)
    }
}
