import Foundation
import ProgramFixtures
import ServerFixtures
import TerminalApp
import Testing

@testable import CommandLine

@Suite struct DoctorCommandTests {
    private func hops(_ result: Program.Result) throws -> [String: [String: Any]] {
        let object = try #require(result.objects.first)
        let list = try #require(object["hops"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: list.map { ($0["hop"] as? String ?? "", $0) })
    }

    @Test("a healthy server passes every step, including a real upload and a real resumption")
    func allWell() async throws {
        let person = try await Person("well", on: .shared)
        let result = try await person.run("doctor", person.address, "--upload", "--json")
        let object = try #require(result.objects.first)
        #expect(result.objects.count == 1)
        #expect(object["event"] as? String == "diagnosis")
        #expect(object["address"] as? String == person.address)
        #expect(object["well"] as? Bool == true)
        #expect(object["status"] as? Int == 0)
        #expect(object["failed"] == nil)
        let list = try #require(object["hops"] as? [[String: Any]])
        #expect(list.compactMap { $0["hop"] as? String } == DiagnosisStep.allCases.map(\.rawValue))
        for hop in list where hop["hop"] as? String != "websocket" {
            #expect(hop["outcome"] as? String == "passed", "\(hop)")
        }

        let hops = try hops(result)
        let encrypted = try #require((hops["tls"]?["attempts"] as? [[String: Any]])?.first)
        #expect(encrypted["version"] as? String == "TLS 1.3")
        #expect(encrypted["trusted"] as? Bool == true)
        let certificate = try #require((encrypted["certificates"] as? [[String: Any]])?.first)
        #expect((certificate["names"] as? [String])?.contains("xmpp.test") == true)
        #expect([28, 29].contains(certificate["days"] as? Int))
        #expect(hops["authentication"]?["mechanism"] as? String == "SCRAM-SHA-1")
        #expect((hops["server"]?["features"] as? [String: Bool])?["carbons"] == true)
        #expect(hops["upload"]?["tried"] as? Bool == true)
        #expect(hops["archive"]?["offered"] as? Bool == true)
        #expect(hops["resumption"]?["resumed"] as? Bool == true)
        // The same clock on a machine that may be busy; a wrong time zone would be hours.
        #expect(abs(hops["clock"]?["differenceMilliseconds"] as? Int ?? .max) < 60_000)
        #expect(!result.output.contains(person.account.password))
    }

    @Test("the output fits into 80 columns, has no colours in a pipe, and ends with the conclusion")
    func plainText() async throws {
        let person = try await Person("plain", on: .shared)
        let result = try await person.run("doctor", person.address)
        let lines = result.output.split(separator: "\n")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 }, "\(result.output)")
        #expect(!result.output.contains("\u{1B}"))
        #expect(lines.first == "✓ Address     \(person.address)")
        #expect(lines.last?.hasPrefix("All well.") == true)
        #expect(result.errors.isEmpty)
    }

    @Test("in a terminal there are colours, unless NO_COLOR is set")
    func colours() async throws {
        let person = try await Person("colour", on: .shared)
        let words = try ["doctor", person.address] + person.connection()
        let coloured = try Program("hongyan", words, home: person.home, environment: ["NO_COLOR": ""], size: (80, 24))
        #expect(await coloured.result().status == 0)
        try await coloured.poll("the end") { coloured.screenText.contains("All well.") }
        #expect(coloured.screenText.contains("\u{1B}[32m✓ \u{1B}[0m"))
        let plain = try Program(
            "hongyan", words, home: person.home, environment: ["NO_COLOR": "1"], size: (80, 24))
        #expect(await plain.result().status == 0)
        try await plain.poll("the end") { plain.screenText.contains("All well.") }
        #expect(!plain.screenText.contains("\u{1B}"))
    }

    @Test("a wrong password ends with status 3 and advice, and the steps that need a login are skipped")
    func wrongPassword() async throws {
        let person = try await Person("wrong", on: .shared)
        let words = try ["doctor", person.address, "--json"] + person.connection(password: "not this one")
        let result = try await person.bare(words)
        #expect(result.status == 3)
        #expect(
            result.errors
                == "hongyan: Login: The user name or the password is wrong. Check both; they are case-sensitive. Then run `hongyan login`.\n"
        )
        #expect(result.objects.first?["failed"] as? String == "authentication")
        let hops = try hops(result)
        #expect(hops["stream"]?["outcome"] as? String == "passed")
        #expect(hops["authentication"]?["problem"] as? String == "credentials-rejected")
        #expect(hops["authentication"]?["mechanism"] as? String == "SCRAM-SHA-1")
        for name in ["binding", "server", "upload", "archive", "clock", "resumption"] {
            #expect(hops[name]?["outcome"] as? String == "skipped")
        }
    }

    @Test("a saved password that the server rejects is not removed: the doctor changes nothing")
    func keptPassword() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("kept", on: server)
        try await person.run("login")
        try await server.unregister(person.account.username)
        try await server.register(person.account.username, password: "changed")
        #expect(try await person.bare(["doctor"]).status == 3)
        #expect(try await person.bare(["doctor"]).status == 3)
    }

    @Test("without a password, all steps before the login run, and this is not an error")
    func withoutPassword() async throws {
        let person = try await Person("nopassword", on: .shared)
        let result = try await person.bare(["doctor", person.address] + person.place)
        #expect(result.status == 0)
        #expect(result.output.contains("✓ Stream"))
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("there is no password"))
        let domain = try await person.bare(["doctor", "xmpp.test", "--json"] + person.place)
        #expect(domain.status == 0)
        #expect(try hops(domain)["address"]?["outcome"] as? String == "warning")
        #expect(try hops(domain)["tls"]?["outcome"] as? String == "passed")
    }

    @Test("an invalid address ends with status 2")
    func malformedAddress() async throws {
        let home = try ProgramHome()
        let result = try await Program("hongyan", ["doctor", "a b@xmpp.test", "--json"], home: home).result()
        #expect(result.status == 2)
        #expect(result.objects.first?["failed"] as? String == "address")
        #expect(try hops(result)["dns"]?["outcome"] as? String == "skipped")
        #expect(try await Program("hongyan", ["doctor"], home: home).result().status == 2)
    }

    @Test("the Chinese output fits into 80 columns, and the JSON stays English")
    func chinese() async throws {
        let person = try await Person("chinese", on: .shared)
        let language = [
            "LC_ALL": "", "LANG": "zh_CN.UTF-8", "HONGYAN_LOCALE_DIR": try await person.home.translations(),
        ]
        let words = try ["doctor", person.address] + person.connection(password: "not this one")
        let result = try await person.bare(words, environment: language)
        let lines = result.output.split(separator: "\n")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 }, "\(result.output)")
        #expect(lines.contains("✗ 登录       用 SCRAM-SHA-1 登录失败"))
        #expect(result.output.contains("→ 然后运行 `hongyan login`。"))
        #expect(result.errors.hasPrefix("hongyan: 登录：用户名或密码错误。"))
        #expect(result.errors.hasSuffix("然后运行 `hongyan login`。\n"))
        let json = try await person.bare(words + ["--json"], environment: language)
        #expect(
            try hops(json)["authentication"]?["reason"] as? String
                == "The user name or the password is wrong. Check both; they are case-sensitive.")
    }
}
