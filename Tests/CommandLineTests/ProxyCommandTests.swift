import Foundation
import ProgramFixtures
import SampleMedia
import ServerFixtures
import Testing

/// `--proxy`, `--log` and `--log-level`.
@Suite("Proxies and logs of the programs", .timeLimit(.minutes(10)))
struct ProxyCommandTests {
    @Test("a command connects and transfers files through the proxy; login saves it for later commands")
    func proxy() async throws {
        let proxy = try PrivateProxy(credentials: "goose:honk")
        let person = try await Person("proxy", on: .shared)
        let friend = try await Person("friend", on: .shared)
        let password = try person.home.write("proxy-password", "honk\n")
        let options = ["--proxy", "socks5h://goose@127.0.0.1:\(proxy.port)", "--proxy-password-file", password]
        let once = try await person.bare(try ["connection", "--json"] + person.connection() + options)
        #expect(once.status == 0, "\(once.errors)")
        let target = "socks5 \(person.server.host):\(person.server.port)"
        #expect(proxy.targets == [target])

        let login = try await person.bare(try ["login", "--encryption", "off"] + person.connection() + options)
        #expect(login.status == 0, "\(login.errors)")
        let picture = try person.home.write("picture.png", SampleMedia.smallPicture)
        let sent = try await person.bare(["send", friend.address, "--picture", picture])
        #expect(sent.status == 0, "\(sent.errors)")
        let connections = proxy.targets.count { $0 == target }
        #expect(connections >= 3, "\(proxy.targets)")
        #expect(proxy.targets.contains { $0.hasSuffix(":\(person.server.httpsPort)") }, "\(proxy.targets)")
        // Neither the list of accounts nor any other file of the profile contains the password of the proxy.
        let accounts = try String(
            contentsOfFile: person.home.path + "/config/hongyan/accounts.json", encoding: .utf8)
        #expect(accounts.contains("socks5h") && !accounts.contains("honk\""), "\(accounts)")

        // When the password cannot be read any more, nothing goes around the proxy.
        try FileManager.default.removeItem(atPath: password)
        let blocked = try await person.bare(["connection"])
        #expect(blocked.status == 2, "\(blocked.errors)")
        #expect(proxy.targets.count { $0 == target } == connections)
    }

    @Test(
        "options that cannot be used are one line and the status of a wrong usage",
        arguments: [
            ["--proxy", "ftp://127.0.0.1"], ["--proxy", "socks5://user:password@127.0.0.1"],
            ["--proxy-password-file", "/dev/null"], ["--log-level", "steps"], ["--log", "/nonexistent/log"],
            ["--log", "/tmp/x", "--log-level", "loud"],
        ])
    func invalid(options: [String]) async throws {
        let person = try await Person("invalid", on: .shared)
        let result = try await person.bare(try ["connection"] + person.connection() + options)
        #expect(result.status == 2, "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1 && !result.errors.contains("user:password"))
    }

    @Test("wrong credentials for the proxy are status 2, a proxy that is not there is status 4")
    func refused() async throws {
        let proxy = try PrivateProxy(credentials: "goose:honk")
        let person = try await Person("refused", on: .shared)
        let wrong = try await person.bare(
            try ["connection"] + person.connection() + ["--proxy", "http://127.0.0.1:\(proxy.port)"])
        #expect(wrong.status == 2, "\(wrong.status) \(wrong.errors)")
        let absent = try await person.bare(
            try ["connection", "--timeout", "5"] + person.connection() + ["--proxy", "http://127.0.0.1:1"])
        #expect(absent.status == 4, "\(absent.status) \(absent.errors)")
    }

    @Test("S3-7: a log has the steps, or all XML without secrets, and only its owner can read it")
    func log() async throws {
        let person = try await Person("log", on: .shared)
        let friend = try await Person("friend", on: .shared)
        let file = person.home.path + "/log"
        let send = try ["send", friend.address, "a word for the friend"] + person.connection()
        let steps = try await person.bare(send + ["--log", file])
        #expect(steps.status == 0, "\(steps.errors)")
        let first = try String(contentsOfFile: file, encoding: .utf8)
        #expect(first.contains(" 1 steps: connecting\n") && first.contains(" 1 steps: online\n"), "\(first)")
        #expect(!first.contains("word for the friend") && !first.contains(friend.account.username))
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(permissions == 0o600)

        let wire = try await person.bare(send + ["--log", file, "--log-level", "wire"])
        #expect(wire.status == 0, "\(wire.errors)")
        let all = try String(contentsOfFile: file, encoding: .utf8)
        // It is appended.
        #expect(all.hasPrefix(first))
        #expect(all.contains("wire: C: <message") && all.contains("a word for the friend"), "\(all.suffix(2000))")
        #expect(all.contains("…") && !all.contains(person.account.password))
        let encoded = Data("\0\(person.account.username)\0\(person.account.password)".utf8).base64EncodedString()
        #expect(!all.contains(encoded))
    }

    @Test("S3-7: the terminal chat logs, too")
    func chat() async throws {
        let person = try await Person("chat", on: .shared)
        let file = person.home.path + "/log"
        let program = try Program(
            "hongyan", ["chat"] + person.connection() + ["--log", file, "--log-level", "stanzas"], home: person.home,
            size: (80, 24))
        while !((try? String(contentsOfFile: file, encoding: .utf8))?.contains("steps: online\n") ?? false) {
            try await Task.sleep(for: .milliseconds(20))
        }
        program.signal(SIGINT)
        _ = await program.result()
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains(" stanzas: sends "))
    }
}
