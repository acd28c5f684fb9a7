import SASLMechanisms
import ServerSide
import Testing

@Suite("SCRAM, a hostile server")
struct SCRAMAttackTests {
    static let salt = "QSXCR+Q6sek8bf92"

    private func client(
        iterations: ClosedRange<Int> = SCRAMLimits.iterations, offer: SASLOffer? = nil
    ) throws -> SCRAMClient {
        var client = SCRAMClient(
            credentials: .pencil, digest: .library(.sha1), nonce: "fyko+d2lbbFgONRv9qkxdawL", iterations: iterations,
            offer: offer)
        _ = try client.start()
        return client
    }

    private func clientAfterSalt() throws -> SCRAMClient {
        var client = try client()
        _ = try client.respond(to: Array("r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=\(Self.salt),i=4096"))
        return client
    }

    @Test(
        "the first message is rejected with the right error",
        arguments: [
            // Nonces: a different one, ours alone, ours truncated, ours not at the beginning, none.
            ("r=other,s=\(salt),i=4096", SASLError.Code.nonceNotExtended),
            ("r=fyko+d2lbbFgONRv9qkxdawL,s=\(salt),i=4096", .nonceNotExtended),
            ("r=fyko+d2lbbFgONRv9qkxdaw,s=\(salt),i=4096", .nonceNotExtended),
            ("r=xfyko+d2lbbFgONRv9qkxdawL,s=\(salt),i=4096", .nonceNotExtended),
            ("r=,s=\(salt),i=4096", .nonceNotExtended),
            ("r=fyko+d2lbbFgONRv9qkxdawL \u{7F},s=\(salt),i=4096", .malformedMessage(what: "the nonce")),
            ("r=fyko+d2lbbFgONRv9qkxdawLé,s=\(salt),i=4096", .malformedMessage(what: "the nonce")),
            // Iterations: too few, too many, not a number.
            ("@,s=\(salt),i=1", .iterationCountOutOfRange(1, allowed: SCRAMLimits.iterations)),
            ("@,s=\(salt),i=4095", .iterationCountOutOfRange(4095, allowed: SCRAMLimits.iterations)),
            (
                "@,s=\(salt),i=1000000000",
                .iterationCountOutOfRange(1_000_000_000, allowed: SCRAMLimits.iterations)
            ),
            (
                "@,s=\(salt),i=99999999999999999999999999999999999999",
                .iterationCountOutOfRange(Int.max, allowed: SCRAMLimits.iterations)
            ),
            ("@,s=\(salt),i=0", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),i=-4096", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),i=+4096", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),i=04096", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),i=4096x", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),i=", .malformedMessage(what: "the iteration count")),
            // Salts: none, invalid Base64, superfluous bits.
            ("@,s=,i=4096", .emptySalt),
            ("@,s=!!!!,i=4096", .malformedMessage(what: "the salt")),
            ("@,s=QSX,i=4096", .malformedMessage(what: "the salt")),
            ("@,s=QR==,i=4096", .malformedMessage(what: "the salt")),
            ("@,s==,i=4096", .malformedMessage(what: "the salt")),
            // Truncated, or in the wrong order.
            ("", .malformedMessage(what: "an attribute")),
            ("r", .malformedMessage(what: "an attribute")),
            ("@", .malformedMessage(what: "the salt")),
            ("@,", .malformedMessage(what: "an attribute")),
            ("@,s=\(salt)", .malformedMessage(what: "the iteration count")),
            ("@,s=\(salt),", .malformedMessage(what: "an attribute")),
            ("@,s=\(salt),i", .malformedMessage(what: "an attribute")),
            ("@,i=4096,s=\(salt)", .malformedMessage(what: "the salt")),
            ("s=\(salt),@,i=4096", .malformedMessage(what: "the nonce")),
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", .malformedMessage(what: "the nonce")),
            // The same attribute twice, also an unknown one.
            ("@,s=\(salt),i=4096,i=5000", .malformedMessage(what: "a duplicate attribute")),
            ("@,s=\(salt),i=4096,r=other", .malformedMessage(what: "a duplicate attribute")),
            ("@,s=\(salt),i=4096,x=1,x=1", .malformedMessage(what: "a duplicate attribute")),
            // No attributes at all.
            ("@,s=\(salt),i=4096,", .malformedMessage(what: "an attribute")),
            ("@,s=\(salt),i=4096,1=2", .malformedMessage(what: "an attribute")),
            ("@,s=\(salt),i=4096,xx=2", .malformedMessage(what: "an attribute")),
            ("@,s=\(salt),i=4096,x=\0", .malformedMessage(what: "the encoding")),
            // Mandatory extensions in any position; errors.
            ("m=ext,@,s=\(salt),i=4096", .mandatoryExtension),
            ("@,s=\(salt),i=4096,m=ext", .mandatoryExtension),
            ("e=unknown-user", .serverReported(.unknownUser)),
            ("e=never-heard-of", .serverReported(SCRAMServerError(rawValue: "never-heard-of"))),
        ])
    func first(challenge: String, expected: SASLError.Code) throws {
        var client = try client()
        let nonce = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j"
        let bytes = challenge.split(separator: "@", omittingEmptySubsequences: false).joined(separator: nonce)
        do {
            _ = try client.respond(to: Array(bytes))
            Issue.record("The message was answered.")
        } catch {
            #expect(error.code == expected)
            #expect(error.description.hasSuffix("."))
        }
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: Array("v=")) }
        #expect(throws: SASLError(.unexpectedMessage)) { try client.succeed(with: nil) }
        #expect(client.reusableKeys == nil)
    }

    @Test(
        "XEP-0515: another TLS version at the server's end reveals a man in the middle",
        arguments: [("0304", nil), ("0303", SASLError.Code.offerTampered), ("", nil), ("1.3", .offerTampered)])
    func versionOfTLS(signed: String, code: SASLError.Code?) throws {
        var client = SCRAMClient(
            credentials: .pencil, digest: .library(.sha1), nonce: "fyko+d2lbbFgONRv9qkxdawL", tlsVersion: "0304")
        _ = try client.start()
        let attribute = signed.isEmpty ? "" : ",t=\(signed)"
        let challenge = Array("r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=\(Self.salt),i=4096\(attribute)".utf8)
        var seen: SASLError.Code?
        do throws(SASLError) {
            _ = try client.respond(to: challenge)
        } catch {
            seen = error.code
        }
        #expect(seen == code)
    }

    @Test("unknown optional attributes are ignored and signed")
    func unknownAttributes() throws {
        let keys = try SCRAMServerKeys.pencil(.sha1)
        var client = try client()
        let response = try client.respond(to: Array("r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=\(Self.salt),i=4096,x=é,Z=,y=="))
        #expect(response.text.hasPrefix("c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfc,p="))
        #expect(keys.storedKey.count == 20)
    }

    @Test("the limits of the iteration count are configurable")
    func bounds() throws {
        var client = try client(iterations: 1...5000)
        _ = try client.respond(to: Array("r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=\(Self.salt),i=1"))
        client = try self.client(iterations: 1...5000)
        #expect(throws: SASLError(.iterationCountOutOfRange(5001, allowed: 1...5000))) {
            try client.respond(to: Array("r=fyko+d2lbbFgONRv9qkxdawL3rfc,s=\(Self.salt),i=5001"))
        }
    }

    @Test("a message above the size limit is rejected")
    func tooLong() throws {
        var client = try client()
        let extra = String(repeating: "x", count: SCRAMLimits.maximumMessageByteCount)
        #expect(throws: SASLError(.malformedMessage(what: "the length"))) {
            try client.respond(to: Array("r=fyko+d2lbbFgONRv9qkxdawL\(extra),s=\(Self.salt),i=4096"))
        }
    }

    @Test(
        "the last message is rejected with the right error, in a challenge and with the success",
        arguments: [
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKR=", SASLError.Code.malformedMessage(what: "the signature")),
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKU=", .serverSignatureMismatch),
            ("v=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .serverSignatureMismatch),
            ("v=rmF9pqV8S7suAoZWja4d", .serverSignatureMismatch),
            ("v=", .serverSignatureMismatch),
            ("v=%%%%", .malformedMessage(what: "the signature")),
            ("x=1", .serverSignatureMissing),
            ("x=1,v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", .serverSignatureMissing),
            (
                "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
                .malformedMessage(what: "a duplicate attribute")
            ),
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,m=1", .mandatoryExtension),
            ("v", .malformedMessage(what: "an attribute")),
            ("e=invalid-proof", .serverReported(.invalidProof)),
            ("e=channel-bindings-dont-match", .serverReported(.channelBindingsDoNotMatch)),
        ])
    func last(message: String, expected: SASLError.Code) throws {
        var challenged = try clientAfterSalt()
        #expect(throws: SASLError(expected)) { try challenged.respond(to: Array(message)) }
        #expect(throws: SASLError(.unexpectedMessage)) { try challenged.succeed(with: nil) }

        var finished = try clientAfterSalt()
        #expect(throws: SASLError(expected)) { try finished.succeed(with: Array(message)) }
        #expect(finished.reusableKeys == nil)
    }

    @Test("a success without a signature is rejected", arguments: [nil, [UInt8]()])
    func missingSignature(data: [UInt8]?) throws {
        var client = try clientAfterSalt()
        #expect(throws: SASLError(.serverSignatureMissing)) { try client.succeed(with: data) }
        #expect(throws: SASLError(.unexpectedMessage)) {
            try client.succeed(with: Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ="))
        }
    }

    @Test("a success before the server's salt is rejected")
    func earlySuccess() throws {
        var client = try client()
        #expect(throws: SASLError(.unexpectedMessage)) {
            try client.succeed(with: Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ="))
        }
    }

    @Test("only an empty success may follow the signature")
    func afterSignature() throws {
        let signature = Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
        var client = try clientAfterSalt()
        _ = try client.respond(to: signature)
        #expect(throws: SASLError(.unexpectedMessage)) { try client.respond(to: signature) }

        client = try clientAfterSalt()
        _ = try client.respond(to: signature)
        #expect(throws: SASLError(.unexpectedMessage)) { try client.succeed(with: signature) }

        client = try clientAfterSalt()
        _ = try client.respond(to: signature)
        try client.succeed(with: [])
        #expect(client.reusableKeys != nil)
    }

    @Test(
        "a user name or identity that cannot be sent is rejected before anything is sent",
        arguments: [
            SASLCredentials(username: "", password: "pencil"), SASLCredentials(username: "a\0b", password: "pencil"),
            SASLCredentials(username: "user", password: "pencil", authorizationID: ""),
        ])
    func invalidNames(credentials: SASLCredentials) {
        var client = SCRAMClient(credentials: credentials, digest: .library(.sha1), nonce: "n")
        #expect(throws: SASLError.self) { try client.start() }
    }

    @Test("an empty password is rejected", arguments: ["", "a\0"])
    func invalidPassword(password: String) throws {
        var client = SCRAMClient(
            credentials: SASLCredentials(username: "user", password: password), digest: .library(.sha1), nonce: "n")
        _ = try client.start()
        #expect(throws: SASLError(.invalidCredential(what: "password"))) {
            try client.respond(to: Array("r=nx,s=\(Self.salt),i=4096"))
        }
    }

    @Test("a digest that fails the key derivation ends the exchange")
    func refusingDigest() throws {
        let digest = SASLDigest(.sha1, hashValue: { $0 }, hmac: { $1 }, pbkdf2: { _, _, _ in nil })
        var client = SCRAMClient(credentials: .pencil, digest: digest, nonce: "n")
        _ = try client.start()
        #expect(throws: SASLError(.digestRefused)) { try client.respond(to: Array("r=nx,s=\(Self.salt),i=4096")) }
    }
}
