import ProgramFixtures
import ServerFixtures
import Testing

/// XEP-0178: `--client-certificate` instead of a password.
@Suite("Logging in with a certificate", .timeLimit(.minutes(10)))
struct ClientCertificateCommandTests {
    private static func start(_ kind: ServerKind) async throws -> (server: RunningServer, address: String) {
        let server = try await kind.shared(ServerOptions { $0.asksForClientCertificates = true })
        if kind.isProsody {
            return (server, "cert-\(UInt32.random(in: 0 ... .max))@\(server.otherDomain)")
        }
        return (server, try await server.newAccount("cert").address)
    }

    private static func run(
        _ arguments: [String], at server: RunningServer, home: ProgramHome
    ) async throws -> Program.Result {
        let place = ["--host", server.host, "--port", String(server.port), "--ca", server.authorityFile]
        return try await Program("hongyan", arguments + place, home: home).result()
    }

    /// Prosody 0.12 answers `account-disabled` to any certificate in this configuration.
    private static let kinds = ServerKind.allCases.filter { $0 != .prosody012 }

    @Test(
        "any command logs in with a certificate and its key, with or without a passphrase", arguments: kinds)
    func login(kind: ServerKind) async throws {
        let (server, address) = try await Self.start(kind)
        let home = try ProgramHome()
        let plain = try server.certificates.issueClient(address)
        let result = try await Self.run(
            [
                "connection", "--json", "--jid", address, "--client-certificate", plain.certificate, "--client-key",
                plain.key,
            ], at: server, home: home)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.objects.first?["mechanism"] as? String == "EXTERNAL")

        let locked = try server.certificates.issueClient(address, passphrase: "open sesame")
        let options = ["--jid", address, "--client-certificate", locked.certificate, "--client-key", locked.key]
        let right = try home.write("right", "open sesame\n")
        let login = try await Self.run(["login", "--password-file", right] + options, at: server, home: home)
        #expect(login.status == 0, "\(login.errors)")
        #expect(!(login.output + login.errors).contains("sesame"))
        // The account is saved with its certificate, and the passphrase with the passwords.
        let later = try await Program("hongyan", ["connection", "--json"], home: home).result()
        #expect(later.status == 0, "\(later.errors)")
        #expect(later.objects.first?["mechanism"] as? String == "EXTERNAL")
    }

    @Test(
        "an unusable file is reported in one line with its path and the status of a wrong setting, and is not retried"
    )
    func unusable() async throws {
        let (server, address) = try await Self.start(.ejabberd2301)
        let home = try ProgramHome()
        let (plain, other) = (
            try server.certificates.issueClient(address), try server.certificates.issueClient(address)
        )
        let locked = try server.certificates.issueClient(address, passphrase: "open sesame")
        let wrong = try home.write("wrong", "not this one\n")
        // The same applies to the certificate authorities of the server.
        let unreadable = try await Program(
            "hongyan",
            ["listen", "--jid", address, "--password-file", wrong, "--host", server.host, "--port"]
                + [String(server.port), "--ca", "/nowhere/ca.crt"], home: home
        ).result()
        for (certificate, key, words) in [
            ("/nowhere/me.crt", plain.key, "/nowhere/me.crt"),
            (plain.certificate, "/nowhere/me.key", "/nowhere/me.key"),
            (plain.certificate, other.key, "does not belong to the certificate"),
            (plain.certificate, plain.certificate, plain.certificate),
            (locked.certificate, locked.key, "The passphrase of the private key \(locked.key) is wrong."),
        ] {
            let result = try await Self.run(
                [
                    "listen", "--jid", address, "--client-certificate", certificate, "--client-key", key,
                    "--password-file", wrong,
                ], at: server, home: home)
            #expect(result.status == unreadable.status)
            #expect(result.errors.contains(words), "\(result.errors)")
            // The certificates of the fixture are readable by all users, so a warning precedes the message.
            let lines = result.errors.split(separator: "\n").filter { !$0.contains("can be read by others") }
            #expect(lines.count == 1, "\(result.errors)")
        }
        #expect(unreadable.status == 2)
    }

    @Test("the certificate of another account is refused with a message, and one option without the other is invalid")
    func refused() async throws {
        let (server, address) = try await Self.start(.ejabberd2301)
        let home = try ProgramHome()
        let other = try server.certificates.issueClient("somebody@\(server.domain)")
        let result = try await Self.run(
            [
                "connection", "--jid", address, "--client-certificate", other.certificate, "--client-key", other.key,
            ], at: server, home: home)
        #expect(result.status == 3 || result.status == 4, "\(result.errors)")
        #expect(!result.errors.contains("password is wrong"))
        let alone = try await Self.run(
            ["connection", "--jid", address, "--client-key", other.key], at: server, home: home)
        #expect(alone.status == 2)
        let register = try await Self.run(
            ["register", address, "--client-certificate", other.certificate], at: server, home: home)
        #expect(register.status == 2)
    }
}
