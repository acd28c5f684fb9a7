import SASLMechanisms
import ServerSide
import Testing

@Suite("SCRAM, a hostile client")
struct SCRAMServerTests {
    private func server(isChannelBound: Bool = false, offersChannelBinding: Bool = false) throws -> SCRAMServer {
        let keys = try SCRAMServerKeys.pencil(.sha1)
        return SCRAMServer(
            configuration: .init(
                digest: .library(.sha1), isChannelBound: isChannelBound,
                channelBindings: isChannelBound ? [.tlsExporter([1])] : [], nonce: "server",
                offersChannelBinding: offersChannelBinding)
        ) { _ in keys }
    }

    @Test(
        "the first message is rejected with the right condition",
        arguments: [
            ("", SASLFailureCondition.malformedRequest, SCRAMServerError.invalidEncoding),
            ("n", .malformedRequest, .invalidEncoding),
            ("n,", .malformedRequest, .invalidEncoding),
            ("n,,", .malformedRequest, .invalidEncoding),
            ("q,,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("N,,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("p,,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("p=tls-exporter,,n=user,r=abc", .malformedRequest, .channelBindingNotSupported),
            ("n,b=x,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("n,a=,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("n,a=x=,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("n,,m=ext,n=user,r=abc", .malformedRequest, .extensionsNotSupported),
            ("n,,r=abc,n=user", .malformedRequest, .invalidUsernameEncoding),
            ("n,,n=,r=abc", .malformedRequest, .invalidUsernameEncoding),
            ("n,,n=us=er,r=abc", .malformedRequest, .invalidUsernameEncoding),
            ("n,,n=us=2cer,r=abc", .malformedRequest, .invalidUsernameEncoding),
            ("n,,n=user,r=é", .malformedRequest, .invalidEncoding),
            ("n,,n=user,n=user,r=abc", .malformedRequest, .invalidEncoding),
            ("n,,n=user", .malformedRequest, .invalidEncoding),
        ])
    func first(message: String, condition: SASLFailureCondition, reason: SCRAMServerError) throws {
        var server = try server()
        #expect(server.messageReceived(Array(message)) == .failure(condition, reason))
        #expect(server.messageReceived(Array("n,,n=user,r=abc")) == .failure(.malformedRequest))
    }

    @Test("-PLUS without a binding is rejected", arguments: ["n,,n=user,r=abc", "y,,n=user,r=abc"])
    func unboundPlus(message: String) throws {
        var server = try server(isChannelBound: true)
        #expect(server.messageReceived(Array(message)) == .failure(.malformedRequest, .invalidEncoding))
    }

    @Test(
        "the last message is rejected with the right condition",
        arguments: [
            ("", SASLFailureCondition.malformedRequest, SCRAMServerError.invalidEncoding),
            ("c=biws", .malformedRequest, .invalidEncoding),
            ("c=biws,r=abcserver", .malformedRequest, .invalidEncoding),
            ("r=abcserver,c=biws,p=AAAA", .malformedRequest, .invalidEncoding),
            ("c=biws,r=abcserver,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=,x=1", .malformedRequest, .invalidEncoding),
            ("c=biws,r=abcserver,m=1,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .malformedRequest, .extensionsNotSupported),
            // The GS2 header of the first message differs from the signed one.
            ("c=eSws,r=abcserver,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .notAuthorized, .channelBindingsDoNotMatch),
            ("c=,r=abcserver,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .notAuthorized, .channelBindingsDoNotMatch),
            ("c=biws,r=abc,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .notAuthorized, .otherError),
            ("c=biws,r=abcserver,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .notAuthorized, .invalidProof),
            ("c=biws,r=abcserver,p=", .notAuthorized, .invalidProof),
            ("c=biws,r=abcserver,p=A", .malformedRequest, .invalidEncoding),
        ])
    func last(message: String, condition: SASLFailureCondition, reason: SCRAMServerError) throws {
        var server = try server()
        guard case .challenge = server.messageReceived(Array("n,,n=user,r=abc")) else {
            Issue.record("The first message was refused.")
            return
        }
        #expect(server.messageReceived(Array(message)) == .failure(condition, reason))
    }

    @Test("the server requests the first message if none was sent with the mechanism")
    func noInitialResponse() throws {
        var server = try server()
        #expect(server.messageReceived(nil) == .challenge([]))
        guard case .challenge(let challenge) = server.messageReceived(Array("n,,n=user,r=abc")) else {
            Issue.record("The first message was refused.")
            return
        }
        #expect(challenge.text.hasPrefix("r=abcserver,s="))
    }

    @Test("XEP-0474 §5.3: the server signs its offer and accepts an extension of the client")
    func signedOffer() throws {
        let digest = SASLDigest.library(.sha1)
        let keys = try #require(
            SCRAMServerKeys(
                password: "pencil", salt: [0x41, 0x25, 0xC2, 0x47, 0xE4, 0x3A, 0xB1, 0xE9, 0x3C, 0x6D, 0xFF, 0x76],
                iterations: 4096, digest: digest))
        var server = SCRAMServer(
            configuration: .init(
                digest: digest, isChannelBound: true,
                channelBindings: [.tlsExporter(Array("THIS IS FAKE CB DATA"))],
                nonce: "a09117a6-ac50-4f2f-93f1-93799c2bddf6",
                signedOffer: SASLOffer(
                    mechanisms: ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"],
                    channelBindings: ["tls-server-end-point", "tls-exporter"]))
        ) { _ in keys }
        let nonce = "12C4CD5C-E38E-4A98-8F6D-15C38F51CCC6a09117a6-ac50-4f2f-93f1-93799c2bddf6"
        #expect(
            server.messageReceived(Array("p=tls-exporter,,n=user,r=12C4CD5C-E38E-4A98-8F6D-15C38F51CCC6"))
                == .challenge(Array("r=\(nonce),s=QSXCR+Q6sek8bf92,i=4096,h=G6k/rBLDqgOhRRaCuuatSDFkJ08=")))
        let binding = "cD10bHMtZXhwb3J0ZXIsLFRISVMgSVMgRkFLRSBDQiBEQVRB"
        let final = "c=\(binding),r=\(nonce),x=19C6532F-1CF4-4A27-A18D-DC9CEA41BBB3,p=M/SIDjT+dfcxUh89jZEypRvFxB4="
        #expect(
            server.messageReceived(Array(final))
                == .success(SASLIdentity(username: "user"), additionalData: Array("v=MQrMPvv7yv4x4Cq4W4Ih25EqS2c=")))
    }
}

@Suite("XEP-0474, the client checks the signed offer")
struct SignedOfferTests {
    static let offer = SASLOffer(
        mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS"], channelBindings: ["tls-exporter"])

    private func outcome(signed: SASLOffer?, seen: SASLOffer?) throws -> Outcome {
        let keys = try SCRAMServerKeys.pencil(.sha256)
        var server: any SASLServerMechanism = SCRAMServer(
            configuration: .init(digest: .library(.sha256), nonce: "server", signedOffer: signed)
        ) { _ in keys }
        var client: any SASLClientMechanism = SCRAMClient(
            credentials: .pencil, digest: .library(.sha256), nonce: "client", offer: seen)
        return try run(&client, against: &server)
    }

    @Test("the same list in another order is the same list")
    func order() throws {
        var seen = Self.offer
        seen.mechanisms.reverse()
        #expect(try outcome(signed: Self.offer, seen: seen) == .success(SASLIdentity(username: "user")))
    }

    @Test("a server that does not sign, and a client that does not check, succeed")
    func unsigned() throws {
        #expect(try outcome(signed: nil, seen: Self.offer) == .success(SASLIdentity(username: "user")))
        #expect(try outcome(signed: Self.offer, seen: nil) == .success(SASLIdentity(username: "user")))
    }

    @Test(
        "a modified list is detected",
        arguments: [
            SASLOffer(mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-256"], channelBindings: ["tls-exporter"]),
            SASLOffer(mechanisms: offer.mechanisms, channelBindings: ["tls-made-up"]),
            SASLOffer(mechanisms: offer.mechanisms, channelBindings: []),
            SASLOffer(mechanisms: offer.mechanisms),
            SASLOffer(mechanisms: offer.mechanisms + ["PLAIN"], channelBindings: ["tls-exporter"]),
        ])
    func changed(seen: SASLOffer) throws {
        #expect(throws: SASLError(.offerTampered)) { try outcome(signed: Self.offer, seen: seen) }
    }

    @Test("the format of version 0.3 is accepted, except for names that could imitate a list")
    func oldSpelling() throws {
        // The example of version 0.3.1.
        let challenge = Array("r=clientserver,s=QSXCR+Q6sek8bf92,i=4096,d=dRc3RenuSY9ypgPpERowoaySQZY=")
        let names = ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"]
        let honest = SASLOffer(mechanisms: names, channelBindings: ["tls-server-end-point", "tls-exporter"])
        let forged = [
            SASLOffer(
                mechanisms: ["SCRAM-SHA-1,SCRAM-SHA-1-PLUS"],
                channelBindings: ["tls-server-end-point", "tls-exporter"]),
            SASLOffer(mechanisms: names, channelBindings: ["tls-exporter,tls-server-end-point"]),
            SASLOffer(mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS|tls-exporter,tls-server-end-point"]),
            SASLOffer(mechanisms: names),
        ]
        var client = SCRAMClient(credentials: .pencil, digest: .library(.sha1), nonce: "client", offer: honest)
        _ = try client.start()
        _ = try client.respond(to: challenge)
        for offer in forged {
            client = SCRAMClient(credentials: .pencil, digest: .library(.sha1), nonce: "client", offer: offer)
            _ = try client.start()
            #expect(throws: SASLError(.offerTampered)) { try client.respond(to: challenge) }
        }
    }
}
