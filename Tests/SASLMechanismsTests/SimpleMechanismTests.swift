import SASLMechanisms
import ServerSide
import Testing

@Suite("PLAIN, EXTERNAL, ANONYMOUS")
struct SimpleMechanismTests {
    private let server = PlainServer(isEncrypted: true) { $0 == "tim" && $1 == "tanstaaftanstaaf" }

    @Test(
        "PLAIN sends the messages of RFC 4616 §4",
        arguments: [
            (
                SASLCredentials(username: "tim", password: "tanstaaftanstaaf"), "\0tim\0tanstaaftanstaaf"
            ),
            (
                SASLCredentials(username: "Kurt", password: "xipj3plmq", authorizationID: "Ursel"),
                "Ursel\0Kurt\0xipj3plmq"
            ),
        ])
    func plainMessage(credentials: SASLCredentials, message: String) throws {
        var client = PlainClient(credentials: credentials)
        #expect(try client.start()?.text == message)
        try client.succeed(with: nil)
    }

    @Test("PLAIN succeeds, and is rejected for another password")
    func plain() throws {
        var client: any SASLClientMechanism = PlainClient(
            credentials: SASLCredentials(username: "tim", password: "tanstaaftanstaaf", authorizationID: "tim@x"))
        var server: any SASLServerMechanism = server
        #expect(
            try run(&client, against: &server)
                == .success(SASLIdentity(username: "tim", authorizationID: "tim@x")))
        client = PlainClient(credentials: SASLCredentials(username: "tim", password: "other"))
        #expect(try run(&client, against: &server) == .refused(.notAuthorized, nil))
    }

    @Test("a PLAIN server accepts nothing over an unencrypted connection")
    func plainInClear() {
        var server = PlainServer(isEncrypted: false) { _, _ in true }
        #expect(server.messageReceived(Array("\0tim\0x")) == .failure(.encryptionRequired))
    }

    @Test(
        "a PLAIN server rejects what RFC 4616 §2 does not allow",
        arguments: [
            [], [0], [0, 0], [0, 65, 0], [0, 0, 65], [65], [0, 65, 0, 65, 0], [0, 0xFF, 0, 65], [0, 65, 0, 0xC0],
        ])
    func plainMalformed(message: [UInt8]) {
        var server = server
        #expect(server.messageReceived(message) == .failure(.malformedRequest))
    }

    @Test("PLAIN responds to no challenge and sends nothing that is empty or contains U+0000")
    func plainRefuses() {
        var client = PlainClient(credentials: .pencil)
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: []) }
        let wrong = [
            SASLCredentials(username: "", password: "x"), SASLCredentials(username: "a", password: ""),
            SASLCredentials(username: "a", password: nil), SASLCredentials(username: "a\0", password: "x"),
            SASLCredentials(username: "a", password: "x\0y"),
            SASLCredentials(username: "a", password: "x", authorizationID: "\0"),
        ]
        for credentials in wrong {
            client = PlainClient(credentials: credentials)
            #expect(throws: SASLError.self) { try client.start() }
        }
    }

    @Test(
        "EXTERNAL uses the identity of the certificate, or one of several",
        arguments: [
            (nil as String?, Outcome.success(SASLIdentity(username: "a@x"))),
            ("b@x", .success(SASLIdentity(username: "b@x", authorizationID: "b@x"))),
            ("c@x", .refused(.invalidAuthorizationID, nil)),
        ])
    func external(authorizationID: String?, expected: Outcome) throws {
        var client: any SASLClientMechanism = ExternalClient(authorizationID: authorizationID)
        var server: any SASLServerMechanism = ExternalServer(identities: ["a@x", "b@x"])
        #expect(try run(&client, against: &server) == expected)
    }

    @Test("EXTERNAL sends an empty message instead of none, and responds to one empty challenge with it")
    func externalMessages() throws {
        var client = ExternalClient(authorizationID: nil)
        #expect(try client.start() == [])
        #expect(try client.respond(to: []) == [])
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: [1]) }
        var server = ExternalServer(identities: [])
        #expect(server.messageReceived(nil) == .challenge([]))
        #expect(server.messageReceived([]) == .failure(.notAuthorized))
        server = ExternalServer(identities: ["a@x"])
        #expect(server.messageReceived([0xFF]) == .failure(.malformedRequest))
    }

    @Test("ANONYMOUS sends nothing and succeeds")
    func anonymous() throws {
        var client: any SASLClientMechanism = AnonymousClient()
        var server: any SASLServerMechanism = AnonymousServer()
        #expect(try client.start() == nil)
        #expect(try client.respond(to: []) == [])
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: [1]) }
        #expect(try run(&client, against: &server) == .success(SASLIdentity(username: "")))
    }
}

@Suite("SASL, conditions of failure")
struct FailureConditionTests {
    @Test(
        "every condition of RFC 6120 §6.5 is read by the name of its element and has a message",
        arguments: [
            "aborted", "account-disabled", "credentials-expired", "encryption-required", "incorrect-encoding",
            "invalid-authzid", "invalid-mechanism", "malformed-request", "mechanism-too-weak", "not-authorized",
            "temporary-auth-failure",
        ])
    func conditions(name: String) throws {
        let condition = try #require(SASLFailureCondition(rawValue: name))
        #expect(condition.description.hasSuffix("."))
        #expect(SASLFailureCondition.allCases.count == 11)
    }

    @Test("the next action follows from the condition")
    func advice() {
        #expect(SASLFailureCondition.allCases.filter(\.isTemporary) == [.temporaryFailure])
        #expect(SASLFailureCondition.allCases.filter(\.asksForCredentials) == [.credentialsExpired, .notAuthorized])
        #expect(
            SASLFailureCondition.allCases.filter(\.allowsAnotherMechanism) == [.invalidMechanism, .mechanismTooWeak])
        #expect(SASLFailureCondition(rawValue: "payment-required") == nil)
    }

    @Test(
        "SCRAM's own reasons have messages, even unknown ones",
        arguments: [
            "invalid-encoding", "extensions-not-supported", "invalid-proof", "channel-bindings-dont-match",
            "server-does-support-channel-binding", "channel-binding-not-supported",
            "unsupported-channel-binding-type", "unknown-user", "invalid-username-encoding", "no-resources",
            "other-error", "something-new",
        ])
    func reasons(value: String) {
        let reason = SCRAMServerError(rawValue: value)
        #expect(reason.description.hasSuffix("."))
        #expect(SASLError(.serverReported(reason)).description == reason.description)
    }
}
