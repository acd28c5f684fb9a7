import Cryptography
import OMEMO
import OMEMOFixtures
import Testing
import XMLStreaming

@Suite("Elements of both generations")
struct ElementTests {
    private let cryptography = OpenSSLCryptography()

    private func text(_ value: some XMLEncodable) -> String {
        var writer = XMLWriter()
        writer.write(value)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    private func device(_ number: UInt32) throws -> OMEMODevice { try #require(OMEMODevice(number)) }

    @Test("the examples of XEP-0384 are read and written back")
    func message() throws {
        let current = """
            <encrypted xmlns='urn:xmpp:omemo:2'><header sid='27183'><keys jid='juliet@capulet.lit'><key rid='31415'>AQI=\
            </key></keys><keys jid='romeo@montague.lit'><key rid='1337'>Aw==</key><key rid='12321' kex='true'>BA==</key>\
            </keys></header><payload>BQY=</payload></encrypted>
            """
        let element = try OMEMOElement(from: XMLElement(parsing: current))
        #expect(element.sender == (try device(27_183)))
        #expect(element.keys.map(\.isKeyExchange) == [false, false, true])
        #expect(element.keys(for: try device(12_321), where: { $0 == "romeo@montague.lit" }).map(\.bytes) == [[4]])
        #expect(element.keys(for: try device(12_321), where: { $0 == "juliet@capulet.lit" }).isEmpty)
        #expect(element.payload == [5, 6])
        #expect(text(element) == current)

        let legacy = """
            <encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='27183'><key rid='31415'>AQI=</key>\
            <key rid='12321' prekey='true'>BA==</key><iv>AAAAAAAAAAAAAAAA</iv></header><payload>BQY=</payload></encrypted>
            """
        let earlier = try OMEMOElement(from: XMLElement(parsing: legacy))
        #expect(earlier.generation == .legacy)
        #expect(earlier.keys(for: try device(12_321), where: { _ in false }).map(\.isKeyExchange) == [true])
        #expect(earlier.nonce?.count == 12)
        #expect(text(earlier) == legacy)
    }

    @Test(
        "a message that is not one is refused",
        arguments: [
            "<encrypted xmlns='urn:xmpp:omemo:1'/>",
            "<encrypted xmlns='urn:xmpp:omemo:2'/>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header/></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='0'/></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='-5'/></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys><key rid='1'>AA==</key></keys></header></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'><key>AA==</key></keys></header></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'><key rid='1'>?</key></keys></header></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'><key rid='1'/></keys></header></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'><key rid='1' kex='maybe'>AA==</key></keys></header></encrypted>",
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'/><payload>=</payload></encrypted>",
            "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'/><payload>AA==</payload></encrypted>",
            "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><iv>AA==</iv></header></encrypted>",
        ])
    func malformed(xml: String) throws {
        let element = try XMLElement(parsing: xml)
        #expect(throws: XMLDecodingError.self) { try OMEMOElement(from: element) }
    }

    @Test("a message for too many devices is refused")
    func tooManyKeys() throws {
        let key = "<key rid='1'>AA==</key>"
        func xml(_ count: Int) -> String {
            "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'>"
                + String(repeating: key, count: count) + "</keys></header></encrypted>"
        }
        #expect(try OMEMOElement(from: XMLElement(parsing: xml(OMEMOLimits.recipientKeys))).keys.count == 5_000)
        let element = try XMLElement(parsing: xml(OMEMOLimits.recipientKeys + 1))
        #expect(throws: XMLDecodingError.self) { try OMEMOElement(from: element) }
        let long = Base64.encode([UInt8](repeating: 0, count: OMEMOLimits.recipientKeyBytes + 1))
        let other = try XMLElement(
            parsing: "<encrypted xmlns='urn:xmpp:omemo:2'><header sid='1'><keys jid='a@b'><key rid='1'>\(long)</key>"
                + "</keys></header></encrypted>")
        #expect(throws: XMLDecodingError.self) { try OMEMOElement(from: other) }
    }

    @Test("a device list is read and written, invalid and repeated entries are ignored")
    func devices() throws {
        let xml = """
            <devices xmlns='urn:xmpp:omemo:2'><device id='12345'/><device id='0'/><device/><device id='x'/>\
            <device id='12345' label='again'/><other/><device id='2147483648'/><device id='2147483647'/></devices>
            """
        let list = try OMEMODeviceList(from: XMLElement(parsing: xml))
        #expect(list.devices.map(\.id.number) == [12_345, 0x7fff_ffff])
        #expect(
            text(list) == "<devices xmlns='urn:xmpp:omemo:2'><device id='12345'/><device id='2147483647'/></devices>")
        let legacy = "<list xmlns='eu.siacs.conversations.axolotl'><device id='1'/></list>"
        #expect(text(try OMEMODeviceList(from: XMLElement(parsing: legacy))) == legacy)
        for xml in ["<list xmlns='urn:xmpp:omemo:2'/>", "<devices xmlns='eu.siacs.conversations.axolotl'/>"] {
            let element = try XMLElement(parsing: xml)
            #expect(throws: XMLDecodingError.self) { try OMEMODeviceList(from: element) }
        }
    }

    @Test("a list of 10,000 devices is refused")
    func tooManyDevices() throws {
        func xml(_ count: Int) -> String {
            "<devices xmlns='urn:xmpp:omemo:2'>" + (1...count).map { "<device id='\($0)'/>" }.joined() + "</devices>"
        }
        #expect(try OMEMODeviceList(from: XMLElement(parsing: xml(OMEMOLimits.devices))).devices.count == 500)
        for count in [OMEMOLimits.devices + 1, 10_000] {
            let element = try XMLElement(parsing: xml(count))
            #expect(throws: XMLDecodingError.self) { try OMEMODeviceList(from: element) }
        }
    }

    @Test("a label counts only with the signature of its device")
    func labels() throws {
        let identity = try IdentityKeyPair.random(using: cryptography)
        let other = try IdentityKeyPair.random(using: cryptography)
        let entry = try OMEMODeviceList.Device(device(1), label: "书房 'PC'", by: identity, using: cryptography)
        let list = try OMEMODeviceList(
            from: XMLElement(parsing: text(OMEMODeviceList(.current, devices: [entry]))))
        let read = try #require(list.devices.first)
        #expect(read == entry)
        #expect(read.isLabelSigned(by: identity.publicKey, using: cryptography))
        #expect(!read.isLabelSigned(by: other.publicKey, using: cryptography))
        var changed = read
        changed.label = "another"
        #expect(!changed.isLabelSigned(by: identity.publicKey, using: cryptography))
        for attributes in ["label='x'", "label='x' labelsig='AA=='", "label='x' labelsig='?'", "labelsig='AA=='"] {
            let xml = "<devices xmlns='urn:xmpp:omemo:2'><device id='1' \(attributes)/></devices>"
            #expect(try OMEMODeviceList(from: XMLElement(parsing: xml)).devices.map(\.label) == [nil])
        }
    }

    @Test("a bundle is read back and verified", arguments: OMEMOGeneration.allCases)
    func bundle(generation: OMEMOGeneration) throws {
        let device = try Device("a@example.org", id: 1)
        let bundle = try device.bundle(generation)
        let read = try OMEMOBundle(from: XMLElement(parsing: text(bundle)))
        #expect(read == bundle)
        #expect(text(read) == text(bundle))
        let verified = try read.verified(using: cryptography)
        #expect(verified.identityKey == device.identity.publicKey)
        #expect(read.preKeys.count == 25)
    }

    @Test("a bundle with a foreign signature or without one-time keys is refused", arguments: OMEMOGeneration.allCases)
    func forged(generation: OMEMOGeneration) throws {
        let alice = try Device("a@example.org", id: 1)
        let mallory = try Device("m@example.org", id: 2)
        let names = generation == .legacy ? ("signedPreKeySignature", "prekeys") : ("spks", "prekeys")
        func part(_ xml: String, _ name: String) throws -> String {
            let start = try #require(xml.firstRange(of: "<\(name)>")).lowerBound
            return String(xml[start..<(try #require(xml.firstRange(of: "</\(name)>")).upperBound)])
        }
        let own = text(try alice.bundle(generation))
        let foreign = text(try mallory.bundle(generation))
        let forged = own.replacing(try part(own, names.0), with: try part(foreign, names.0))
        #expect(throws: OMEMOError(.invalidSignature)) {
            try OMEMOBundle(from: XMLElement(parsing: forged)).verified(using: cryptography)
        }
        let empty = own.replacing(try part(own, names.1), with: "<prekeys/>")
        #expect(throws: OMEMOError(.noPreKeys)) {
            try OMEMOBundle(from: XMLElement(parsing: empty)).verified(using: cryptography)
        }
        let without = own.replacing(try part(own, names.1), with: "")
        #expect(throws: XMLDecodingError.self) { try OMEMOBundle(from: XMLElement(parsing: without)) }
    }

    @Test("one-time keys that are malformed or repeated are ignored, and too many are refused")
    func preKeys() throws {
        let device = try Device("a@example.org", id: 1)
        let own = text(try device.bundle(.current))
        let key = Base64.encode([UInt8](repeating: 9, count: 32))
        let odd =
            "<pk id='5'>\(key)</pk><pk id='5'>\(key)</pk><pk>\(key)</pk><pk id='-1'>\(key)</pk><pk id='6'>AA==</pk>"
        let read = try OMEMOBundle(from: XMLElement(parsing: own.replacing("</prekeys>", with: odd + "</prekeys>")))
        #expect(read.preKeys.count == 26)
        let many = String(repeating: "<pk id='5'>\(key)</pk>", count: OMEMOLimits.preKeys)
        let element = try XMLElement(parsing: own.replacing("</prekeys>", with: many + "</prekeys>"))
        #expect(throws: XMLDecodingError.self) { try OMEMOBundle(from: element) }
    }

    @Test("the nodes are those of the two generations")
    func nodes() throws {
        let device = try device(31_415)
        #expect(OMEMOGeneration.current.devicesNode == "urn:xmpp:omemo:2:devices")
        #expect(OMEMOGeneration.current.bundlesNode(of: device) == "urn:xmpp:omemo:2:bundles")
        #expect(OMEMOGeneration.legacy.devicesNode == "eu.siacs.conversations.axolotl.devicelist")
        #expect(OMEMOGeneration.legacy.bundlesNode(of: device) == "eu.siacs.conversations.axolotl.bundles:31415")
    }
}
