import Foundation
import Glibc
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

@Suite struct AccountCommandTests {
    @Test(
        "S0-32, S0-78, S1-4, S1-19, S2-10, S2-11, S2-20: registering creates an account, saves its password and reports it"
    )
    func register() async throws {
        let server = try await PrivateProsody.shared
        let person = try Person(newcomer: "newcomer", on: server)
        let result = try await person.bare(["register"] + person.connection())
        #expect(result.status == 0)
        #expect(result.output == "Registered \(person.address).\n")
        // Only the saved data is needed now.
        #expect(try await person.bare(["login"]).status == 0)
        let accounts = try await person.bare(["accounts", "--json"])
        #expect(accounts.objects.first?["account"] as? String == person.address)
        #expect(!accounts.output.contains(person.account.password))

        let again = try await person.bare(["register"] + person.connection())
        #expect(again.status == 1)
        #expect(again.errors.contains("already exists"))
    }

    @Test("S0-69, S0-76, S2-1, S1-18, S2-12: a login succeeds only when the server confirms it")
    func login() async throws {
        let person = try await Person("login", on: .shared)
        let result = try await person.run("login", "--verbose")
        #expect(result.output == "Signed in as \(person.address).\n")
        #expect(result.errors.contains("encrypted with TLS"))
    }

    @Test("S0-77, S2-14: a wrong password ends with status 3, and a saved one is removed")
    func wrongPassword() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("wrong", on: server)
        let wrong = try await person.bare(["login"] + person.connection(password: "not this one"))
        #expect(wrong.status == 3)
        #expect(wrong.errors.hasPrefix("hongyan: The user name or the password is wrong."))
        #expect(try await person.bare(["accounts"]).output.contains(person.address) == false)

        try await person.run("login")
        try await server.unregister(person.account.username)
        try await server.register(person.account.username, password: "changed")
        #expect(try await person.bare(["roster"]).status == 3)
        let asked = try await person.bare(["roster"])
        #expect(asked.status == 3)
        #expect(asked.errors.contains("no password"), "the refused one was forgotten")
    }

    @Test("S0-73, S1-15, S2-14: a network failure ends with status 4 and removes nothing")
    func network() async throws {
        let person = try await Person("network", on: .shared)
        try await person.run("login")
        let nobody = try await person.bare(["roster", "--host", "127.0.0.1", "--port", "9"])
        #expect(nobody.status == 4)
        #expect(nobody.errors.contains("cannot be reached"))
        #expect(try await person.bare(["roster"]).status == 0)
    }

    @Test("S0-74, S1-16: a server that never responds ends with status 4 and a message about the timeout")
    func timeout() async throws {
        let person = try await Person("timeout", on: .shared)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = getsockname(listener, $0, &length)
            }
        }
        listen(listener, 4)
        let port = String(UInt16(bigEndian: address.sin_port))
        let result = try await person.bare(
            ["login", "--timeout", "1"] + person.connection() + ["--port", port])
        #expect(result.status == 4)
        #expect(result.errors.contains("did not respond in time"))
    }

    @Test("S0-75: a stream error of the server ends with status 4 and its reason")
    func streamError() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("error", on: server)
        let result = try await person.bare(["login"] + person.connection() + ["--jid", "somebody@unknown.test"])
        #expect(result.status == 4)
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "S0-28: an untrusted certificate is refused with the reason; its fingerprint can be trusted, with and without STARTTLS"
    )
    func certificate() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("certificate", on: server)
        let password = try person.home.write("password", person.account.password)
        let place = [
            "login", person.address, "--host", server.host, "--port", String(server.port), "--password-file", password,
        ]
        let refused = try await person.bare(place)
        #expect(refused.status == 4)
        #expect(refused.errors.contains("an unknown authority") && refused.errors.contains("--trust ask"))
        #expect(try await person.bare(place + ["--trust", String(repeating: "0", count: 64)]).status == 4)
        let fingerprint = try await Self.fingerprint(of: server)
        #expect(try await person.bare(place + ["--trust", fingerprint]).status == 0)
        // What was trusted is saved with the account.
        #expect(try await person.bare(["roster"]).status == 0)
        let direct = ["--port", String(server.directTLSPort), "--trust", fingerprint]
        #expect(try await person.bare(place + ["--direct-tls"] + direct).status == 0)
        // The port for STARTTLS does not begin with TLS.
        #expect(try await person.bare(place + ["--direct-tls", "--trust", fingerprint]).status == 4)
    }

    /// The SHA-256 of a server's certificate, from OpenSSL's own program.
    private static func fingerprint(of server: PrivateProsody) async throws -> String {
        let (status, output) = try await OutsideProgram.run([
            "sh", "-c",
            "openssl s_client -connect 127.0.0.1:\(server.directTLSPort) </dev/null 2>/dev/null"
                + " | openssl x509 -noout -fingerprint -sha256",
        ])
        let digits = try #require(output.split(separator: "=").last).filter(\.isHexDigit)
        try #require(status == 0 && digits.count == 64, "\(output)")
        return digits
    }

    @Test("S0-72: user, domain and resource make the address; host, port and the timeout of the login can be chosen")
    func address() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("address", on: server)
        let place = try person.connection()
        let chosen = try await person.bare(["connection"] + place + ["--jid", person.address + "/balcony"])
        #expect(chosen.output.hasPrefix("online: a new session, \(person.address)/balcony"), "\(chosen.errors)")
        let other = try await person.bare(["connection"] + place)
        #expect(other.output.hasPrefix("online: a new session, \(person.address)/"))
        #expect(!other.output.contains("/balcony"))
        // The host as a name, and a server that accepts and says nothing.
        #expect(try await person.bare(["connection"] + place + ["--host", "localhost"]).status == 0)
        let proxy = try FaultProxy(to: server.port)
        defer { proxy.stop() }
        proxy.configure { ($0.stallsUpstream, $0.stallsDownstream) = (true, true) }
        let silent = place + ["--host", proxy.host, "--port", String(proxy.port)]
        let late = try await person.bare(["connection", "--timeout", "1"] + silent)
        #expect(late.status == 4 && late.errors.contains("did not respond in time"), "\(late.errors)")
    }

    @Test("S2-18: in a terminal the questions of the server's form are asked, and a required one is not left out")
    func questions() async throws {
        let server = try await PrivateProsody.shared(
            ServerOptions {
                $0.configurationLines = [
                    "registration_instructions = \"Tell us where you live.\"",
                    "additional_registration_fields = { \"city+\", \"email+\", \"nick\" }",
                ]
            })
        let person = try Person(newcomer: "asked", on: server)
        // Without a terminal nobody can answer.
        let silent = try await person.bare(["register"] + person.connection())
        #expect(silent.status != 0)
        let program = try Program("hongyan", ["register"] + person.connection(), home: person.home, size: (80, 24))
        try await program.waitForOutput("the first question") {
            $0.contains("Tell us where you live.") && $0.contains("City: ")
        }
        program.type("Verona\n")
        try await program.waitForOutput("the second question") { $0.contains("Email: ") }
        program.type("juliet@capulet.example\n")
        #expect(await program.result().status == 0)
        #expect(program.screenText.contains("Registered \(person.address)."))
        #expect(!program.screenText.contains("Nickname"), "only what is required is asked")
        #expect(try await person.bare(["login"]).status == 0)
    }

    @Test("S1-7, S1-21: logging out removes account and password")
    func logout() async throws {
        let person = try await Person("logout", on: .shared)
        try await person.run("login")
        #expect(try await person.bare(["logout"]).status == 0)
        #expect(try await person.bare(["accounts", "--json"]).output.isEmpty)
        #expect(try await person.bare(["logout"]).status == 1)
        #expect(try await person.bare(["login", "--jid", person.address] + person.place).status == 3)
    }

    @Test(
        "an invalid command line ends with status 2 and one message",
        arguments: [
            [], ["fly"], ["roster", "--fly"], ["roster", "--port"], ["roster", "--port", "70000"], ["send"],
            ["roster", "--jid", "@@"], ["accounts", "extra"], ["roster", "--trust", "perhaps"], ["roster"],
            ["chat", "--jid", "a@b.test"],
        ])
    func usage(_ words: [String]) async throws {
        let home = try ProgramHome()
        let result = try await Program("hongyan", words, home: home).result()
        #expect(result.status == 2, "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.hasPrefix("hongyan: "))
    }

    @Test("the help is written to standard output and lists each command")
    func help() async throws {
        let home = try ProgramHome()
        let result = try await Program("hongyan", ["help"], home: home).result()
        #expect(result.status == 0)
        for command in Command.all {
            #expect(result.output.contains("  " + command.name))
            let own = try await Program("hongyan", ["help", command.name], home: home).result()
            #expect(own.status == 0 && own.output.contains("hongyan \(command.name)"))
        }
        #expect(try await Program("hongyan", ["--version"], home: home).result().output.hasPrefix("hongyan "))
    }

    @Test(
        "S0-29, S1-18, S2-10, S3-32: in a terminal, the password is requested and never shown, and a certificate must be confirmed"
    )
    func terminal() async throws {
        let server = try await PrivateProsody.shared
        let person = try await Person("terminal", on: server)
        let place = ["--host", server.host, "--port", String(server.port), "--trust", "ask"]
        let login = try Program("hongyan", ["login", person.address] + place, home: person.home, size: (80, 24))
        try await login.waitForOutput("the password") { $0.contains("Password of \(person.address): ") }
        login.type(person.account.password + "\n")
        try await login.waitForOutput("the question") { $0.contains("Trust it (yes/no)? ") }
        #expect(login.screenText.contains("an unknown authority") && login.screenText.contains("SHA-256"))
        login.type("yes\n")
        #expect(await login.result().status == 0)
        #expect(login.screenText.contains("Signed in as \(person.address)."))
        #expect(!login.screenText.contains(person.account.password))
        // The decision is saved with the account.
        #expect(try await person.bare(["roster"]).status == 0)

        let again = try Program(
            "hongyan", ["login"] + place + ["--jid", person.address], home: person.home, size: (80, 24))
        try await again.waitForOutput("the question") { $0.contains("Trust it (yes/no)? ") }
        again.type("no\n")
        #expect(await again.result().status == 4)
    }
}
