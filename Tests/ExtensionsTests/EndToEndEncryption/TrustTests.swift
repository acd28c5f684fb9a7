import Cryptography
import MessageSemantics
import OMEMO
import Testing
import XMPPAddress

@testable import EndToEndEncryption

@Suite("Trust in identity keys")
struct TrustTests {
    private let cryptography = OpenSSLCryptography()
    private let juliet: JID
    private let romeo: JID

    init() throws {
        juliet = try JID("juliet@capulet.example")
        romeo = try JID("romeo@montague.example")
    }

    private func key() throws -> IdentityKey { try IdentityKeyPair.random(using: cryptography).publicKey }

    private func device(_ number: UInt32) throws -> OMEMODevice { try #require(OMEMODevice(number)) }

    private func examine(
        _ key: IdentityKey, _ number: UInt32, _ known: [DeviceIdentity],
        _ policy: DeviceTrustPolicy = .blindUntilVerified
    ) throws -> DeviceTrustPolicy.Finding {
        policy.examine(key, of: DeviceAddress(juliet, try device(number)), known: known, using: cryptography)
    }

    @Test("new devices are trusted until one of the account is verified")
    func blindTrust() throws {
        let (first, second) = (try key(), try key())
        #expect(try examine(first, 1, []) == .newDevice(.trusted))
        var known = [DeviceIdentity(juliet, try device(1), first, .trusted)]
        #expect(try examine(first, 1, known) == .known(.trusted))
        #expect(try examine(second, 2, known) == .newDevice(.trusted))
        known[0].trust = .verified
        #expect(try examine(second, 2, known) == .newDevice(.undecided))
        // Otherwise a new key could be trusted because the only verified one is not any more.
        known[0].trust = .distrusted
        #expect(try examine(second, 2, known) == .newDevice(.undecided))
        // What was verified of somebody else says nothing about this account.
        let other = [DeviceIdentity(romeo, try device(1), first, .verified)]
        #expect(try examine(second, 2, other) == .newDevice(.trusted))
    }

    @Test("with the stricter policy each new device needs a decision")
    func decideEach() throws {
        #expect(try examine(try key(), 1, [], .decideEach) == .newDevice(.undecided))
    }

    @Test("a device with another key than before is never trusted without a decision", arguments: DeviceTrust.allCases)
    func changedKey(trust: DeviceTrust) throws {
        let (old, new) = (try key(), try key())
        let known = [DeviceIdentity(juliet, try device(1), old, trust)]
        for policy in DeviceTrustPolicy.allCases {
            let finding = try examine(new, 1, known, policy)
            #expect(finding == .changedKey(from: [old]))
            #expect(finding.trust == .undecided && !finding.trust.mayRead)
        }
    }

    @Test("a key keeps its trust under another device id, and has none at another account")
    func otherPlaces() throws {
        let first = try key()
        for trust in DeviceTrust.allCases {
            let known = [DeviceIdentity(juliet, try device(1), first, trust)]
            #expect(try examine(first, 2, known) == .known(trust))
        }
        let known = [DeviceIdentity(romeo, try device(1), first, .verified)]
        #expect(try examine(first, 1, known) == .newDevice(.trusted))
    }

    @Test("nothing is encrypted for devices that are undecided or distrusted")
    func mayRead() {
        #expect(DeviceTrust.allCases.filter(\.mayRead) == [.trusted, .verified])
    }

    @Test("a fingerprint is read in every form in which programs write it")
    func fingerprints() throws {
        let key = try key()
        let groups = key.fingerprintGroups
        let forms = [
            key.fingerprint, key.fingerprint.uppercased(), groups.joined(separator: " "), "05" + key.fingerprint,
            groups.prefix(4).joined(separator: " ") + "\n" + groups.suffix(4).joined(separator: ":"),
        ]
        for form in forms {
            let fingerprint = try #require(KeyFingerprint(form), "\(form)")
            #expect(fingerprint.digits == key.fingerprint)
            #expect(fingerprint.matches(key, using: cryptography))
            #expect(!fingerprint.matches(try self.key(), using: cryptography))
        }
        #expect(KeyFingerprint(key) == KeyFingerprint(key.fingerprint))
    }

    @Test(
        "what is no fingerprint is refused",
        arguments: [
            "", "05", "0", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "0", count: 66), String(repeating: "g", count: 64),
            String(repeating: "0", count: 100_000),
        ])
    func noFingerprint(text: String) { #expect(KeyFingerprint(text) == nil) }

    @Test("a link with fingerprints is written and read back")
    func links() throws {
        let keys = [KeyFingerprint(try key()), KeyFingerprint(try key())]
        let link = VerificationLink(
            try JID("juliet@capulet.example/balcony"),
            [.init(try device(31_415), keys[0]), .init(try device(0x7fff_ffff), keys[1])])
        #expect(
            link.uri
                == "xmpp:juliet@capulet.example?omemo-sid-31415=\(keys[0].digits);omemo-sid-2147483647=\(keys[1].digits)"
        )
        #expect(VerificationLink(link.uri) == link)
    }

    @Test("a link may contain what is not understood, and single entries that are wrong")
    func tolerantLinks() throws {
        let key = KeyFingerprint(try key())
        let link = try #require(
            VerificationLink(
                "xmpp:juliet@capulet.example?omemo-sid-0=\(key.digits);future=1;omemo-sid-x=\(key.digits);omemo-sid-7=zz;"
                    + "omemo-sid-5=\(key.digits)"))
        #expect(link.entries == [.init(try device(5), key)])
        for text in [
            "xmpp:juliet@capulet.example", "xmpp:juliet@capulet.example?join",
            "xmpp:capulet.example?omemo-sid-5=\(key.digits)",
            "https://capulet.example?omemo-sid-5=\(key.digits)", "xmpp:juliet@capulet.example?omemo-sid-5",
            "xmpp:juliet@capulet.example?trust-message;encryption=urn:xmpp:openpgp:0;trust=\(key.digits)",
            "xmpp:juliet@capulet.example?trust-message;trust=\(key.digits)",
        ] { #expect(VerificationLink(text) == nil, "\(text)") }
        let many = (1...10_000).map { "omemo-sid-\($0)=\(key.digits)" }.joined(separator: ";")
        #expect(VerificationLink("xmpp:juliet@capulet.example?\(many)")?.entries.count == OMEMOLimits.devices)
    }

    @Test("the trust message URI of XEP-0434 is read")
    func trustMessage() throws {
        let link = try #require(
            VerificationLink(
                "xmpp:bob@example.com?trust-message;encryption=urn:xmpp:omemo:2;"
                    + "trust=623548d3835c6d33ef5cb680f7944ef381cf712bf23a0119dabe5c4f252cd02f;"
                    + "distrust=b423f5088de9a924d51b31581723d850c7cc67d0a4fe6b267c3d301ff56d2413;"
                    + "distrust=d9f849b6b828309c5f2c8df4f38fd891887da5aaa24a22c50d52f69b4a80817e"))
        #expect(link.account == (try JID("bob@example.com")))
        #expect(
            link.entries.map(\.fingerprint.digits) == [
                "623548d3835c6d33ef5cb680f7944ef381cf712bf23a0119dabe5c4f252cd02f"
            ])
        #expect(link.entries.map(\.device) == [nil])
        #expect(link.distrusted.map { $0.digits.prefix(8) } == ["b423f508", "d9f849b6"])
        // The devices' ids are not in this form, so it cannot be written in the other.
        #expect(link.uri == "xmpp:bob@example.com")
    }
}
