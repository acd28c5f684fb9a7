import Cryptography
import GroupChat
import HongyanTesting
import MessageSemantics
import OMEMO
import PublishSubscribe
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import EndToEndEncryption

/// A session of romeo at a server in memory, whose contact juliet is.
struct DevicesStage {
    let server = MemoryServer(users: ["romeo"])
    let nodes: MemoryNodes
    let clock = VirtualClock()
    let romeo: JID
    let juliet: JID
    let cryptography = OpenSSLCryptography()
    /// Changes the configuration of the session last.
    var change: @Sendable (inout ClientConfiguration) -> Void = { _ in }

    private struct Contacts: PeerDirectory {
        let contacts: Set<JID>
        func follows(_ peer: JID) async -> Bool { contacts.contains(peer.bare) }
    }

    init() throws {
        romeo = try JID(local: "romeo", domain: MemoryServer.domain)
        juliet = try JID("juliet@capulet.lit")
        nodes = MemoryNodes(owner: romeo)
    }

    func run(
        _ body: @escaping @Sendable (_ devices: OMEMODevices, _ session: Session) async throws -> Void
    ) async throws {
        await server.answer { [nodes] in nodes.answer($0) }
        try await runAlone(body)
    }

    /// Without nodes: the test has set its own rule.
    func runAlone(
        _ body: @escaping @Sendable (_ devices: OMEMODevices, _ session: Session) async throws -> Void
    ) async throws {
        let configuration = try server.account("romeo") { configuration in
            configuration.add { _ in Contacts(contacts: [juliet]) }
            configuration.add { PublishSubscribe($0) }
            configuration.add { GroupChat($0) }
            configuration.add { OMEMODevices($0, using: cryptography, clock: clock.clock) }
            change(&configuration)
        }
        try await Client(configuration).run { session in
            let devices = try #require(session[OMEMODevices.self])
            try await withDeadline { try await body(devices, session) }
        }
    }

    func list(_ generation: OMEMOGeneration, _ numbers: UInt32...) -> OMEMODeviceList {
        OMEMODeviceList(
            generation, devices: numbers.compactMap { OMEMODevice($0) }.map { OMEMODeviceList.Device($0) })
    }

    func send(_ text: String) async throws { #expect(try await server.send(text, to: "romeo")) }
}

@Suite("Announced devices", .timeLimit(.minutes(5)))
struct OMEMODevicesTests {
    private let stage: DevicesStage

    init() throws { stage = try DevicesStage() }

    private func numbers(_ listing: DeviceListing?) -> [UInt32]? { listing?.devices.map(\.id.number) }

    // MARK: Lists

    @Test("the events of both generations are requested")
    func interests() async throws {
        try await stage.run { _, session in
            let features = await session.features
            #expect(features.contains("urn:xmpp:omemo:2:devices+notify"))
            #expect(features.contains("eu.siacs.conversations.axolotl.devicelist+notify"))
            #expect(features.contains("urn:xmpp:eme:0"))
        }
    }

    @Test("the device list of XEP-0384's example is read from an event")
    func example() async throws {
        try await stage.run { devices, _ in
            let events = devices.events()
            try await stage.send(
                """
                <message from='juliet@capulet.lit' to='romeo@montague.lit' type='headline' id='update_01'>
                  <event xmlns='http://jabber.org/protocol/pubsub#event'>
                    <items node='urn:xmpp:omemo:2:devices'>
                      <item id='current'>
                        <devices xmlns='urn:xmpp:omemo:2'>
                          <device id='12345' />
                          <device id='4223' label='Gajim on Ubuntu Linux' labelsig='b64/encoded/data' />
                        </devices>
                      </item>
                    </items>
                  </event>
                </message>
                """)
            let event = try #require(await events.first { _ in true })
            guard case .listChanged(let listing) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(listing.account == stage.juliet)
            #expect(numbers(listing) == [4_223, 12_345])
            // The signature of the example is none.
            #expect(listing.devices.allSatisfy { $0.label == .none && $0.newest == .current })
            #expect(await devices.cachedDevices(of: stage.juliet) == listing)
        }
    }

    @Test("an account's lists are requested once, and its announcements replace them")
    func cache() async throws {
        stage.nodes.put(stage.list(.current, 1), of: stage.juliet)
        stage.nodes.put(stage.list(.legacy, 1, 2), of: stage.juliet)
        try await stage.run { devices, _ in
            let events = devices.events()
            async let first = devices.devices(of: stage.juliet)
            async let second = devices.devices(of: stage.juliet.with(resource: "balcony"))
            #expect(numbers(await first) == [1, 2])
            #expect(numbers(try await second) == [1, 2])
            for generation in OMEMOGeneration.allCases {
                #expect(stage.nodes.requests(of: generation.devicesNode) == 1)
            }
            _ = await events.first { if case .listChanged = $0 { true } else { false } }
            try await stage.send(MemoryNodes.notice(stage.list(.current, 3), of: stage.juliet))
            _ = await events.first {
                if case .listChanged(let list) = $0 { numbers(list) == [1, 2, 3] } else { false }
            }
            #expect(numbers(await devices.devices(of: stage.juliet)) == [1, 2, 3])
            #expect(stage.nodes.requests(of: OMEMOGeneration.current.devicesNode) == 1)
            // A message came from a device that is not in the list.
            #expect(numbers(await devices.devices(of: stage.juliet, isFresh: true)) == [1, 2])
        }
    }

    @Test("callers share a request; where the one that asks is cancelled, another one asks")
    func cancelled() async throws {
        let node = OMEMOGeneration.current.devicesNode
        stage.nodes.put(stage.list(.current, 7), of: stage.juliet)
        stage.nodes.silence(node)
        try await stage.run { devices, session in
            let first = Task { await devices.devices(of: stage.juliet) }
            await stage.server.next { MemoryNodes.text($0).contains("urn:xmpp:omemo:2:devices") }
            stage.nodes.answerAgain(node)
            async let second = devices.devices(of: stage.juliet)
            // Not answered: the second caller waits for the first one.
            await #expect(throws: ClientError.self) {
                try await session.request(NodePurge(node: "urn:example:last"))
            }
            first.cancel()
            #expect(await second.devices.map(\.id.number) == [7])
            #expect(await first.value.failures[.current] == .unreachable)
            #expect(stage.nodes.requests(of: node) == 2)
        }
    }

    @Test("an account can announce only its own devices")
    func forged() async throws {
        stage.nodes.put(stage.list(.current, 1), of: stage.juliet)
        let mallory = try JID("mallory@capulet.lit")
        try await stage.run { devices, _ in
            #expect(numbers(await devices.devices(of: stage.juliet)) == [1])
            let events = devices.events()
            let list = stage.list(.current, 666)
            // A stranger; a device of the contact's; an event inside of a message that a contact forwards.
            let forged = MemoryNodes.notice(list, of: stage.juliet)
            try await stage.send(MemoryNodes.notice(list, of: mallory))
            try await stage.send(forged.replacing("juliet@capulet.lit", with: "juliet@capulet.lit/balcony"))
            try await stage.send(
                "<message from='juliet@capulet.lit'><forwarded xmlns='urn:xmpp:forward:0'>\(forged)</forwarded></message>"
            )
            try await stage.send(forged.replacing("type='headline'", with: "type='groupchat'"))
            try await stage.send(MemoryNodes.notice(stage.list(.current, 2), of: stage.juliet))
            let event = await events.first { _ in true }
            guard case .listChanged(let listing)? = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(listing.account == stage.juliet && numbers(listing) == [2])
            #expect(await devices.cachedDevices(of: mallory) == nil)
        }
    }

    @Test("an answer counts only if it comes from the account that was asked")
    func wrongAnswer() async throws {
        stage.nodes.put(stage.list(.current, 1), of: stage.juliet)
        let forged = ItemsPage(
            node: OMEMOGeneration.current.devicesNode,
            items: [PublishedItem(id: "current", payload: XMLElement(stage.list(.current, 666)))])
        stage.nodes.before(OMEMOGeneration.current.devicesNode) { iq in
            ["mallory@capulet.lit", "juliet@capulet.lit/balcony", "capulet.lit", "xmpp.test"].map { sender in
                var answer = IQ.result(for: iq, payload: forged)
                answer.from = try? JID(sender)
                return MemoryNodes.text(answer)
            }
        }
        try await stage.run { devices, _ in
            #expect(numbers(await devices.devices(of: stage.juliet)) == [1])
        }
    }

    @Test("a list of 10,000 devices is refused and says so, whether it was requested or announced")
    func manyDevices() async throws {
        let many = OMEMODeviceList(
            .current, devices: (1...10_000).compactMap { OMEMODevice(UInt32($0)) }.map { OMEMODeviceList.Device($0) })
        stage.nodes.put(many, of: stage.juliet)
        try await stage.run { devices, _ in
            let listing = await devices.devices(of: stage.juliet)
            #expect(listing.devices.isEmpty)
            #expect(listing.failures == [.current: .tooManyDevices])
            #expect(listing.error?.code == .tooManyDevices)
            let events = devices.events()
            try await stage.send(MemoryNodes.notice(stage.list(.current, 1), of: stage.juliet))
            try await stage.send(MemoryNodes.notice(many, of: stage.juliet))
            let last = await events.first {
                if case .listChanged(let listing) = $0 { listing.failures[.current] == .tooManyDevices } else { false }
            }
            #expect(last != nil)
            #expect(await devices.cachedDevices(of: stage.juliet)?.devices.isEmpty == true)
        }
    }

    @Test("single entries that are wrong do not hide the others")
    func wrongEntries() async throws {
        let payload = try XMLElement(
            parsing: """
                <list xmlns='eu.siacs.conversations.axolotl'><device id='0'/><device id='-1'/><device/><device id='x'/>\
                <device id='2147483648'/><device id='99999999999999999999'/><device id='5'/><device id='5'/><other id='6'/>\
                <device id='2147483647'/></list>
                """)
        stage.nodes.put(payload, in: OMEMOGeneration.legacy.devicesNode, of: stage.juliet)
        let wrong = XMLElement(stage.list(.legacy, 1))
        stage.nodes.put(wrong, in: OMEMOGeneration.current.devicesNode, of: stage.juliet)
        try await stage.run { devices, _ in
            let listing = await devices.devices(of: stage.juliet)
            #expect(numbers(listing) == [5, 0x7fff_ffff])
            #expect(listing.failures == [.current: .damaged])
        }
    }

    @Test("a list that only some may read is a failure with a reason")
    func forbidden() async throws {
        stage.nodes.put(stage.list(.legacy, 1), of: stage.juliet)
        stage.nodes.change(OMEMOGeneration.legacy.devicesNode, of: stage.juliet) { $0.accessModel = "presence" }
        try await stage.run { devices, _ in
            let listing = await devices.devices(of: stage.juliet)
            #expect(listing.failures == [.legacy: .forbidden])
            #expect(listing.error?.code == .keysForbidden)
        }
    }

    @Test("after a lost session every list is requested again, and this device announces itself again")
    func reconnect() async throws {
        stage.nodes.put(stage.list(.current, 1), of: stage.juliet)
        try await stage.run { devices, _ in
            #expect(numbers(await devices.devices(of: stage.juliet)) == [1])
            try await devices.announce(OMEMODeviceList.Device(try #require(OMEMODevice(77))))
            stage.nodes.put(stage.list(.current, 2), of: stage.juliet)
            stage.nodes.put(stage.list(.current, 5), of: stage.romeo)
            let events = devices.events()
            await stage.server.kill()
            await stage.server.restart()
            #expect(await events.first { $0 == .announcedAgain(.current) } != nil)
            #expect(stage.nodes.devices(.current, of: stage.romeo) == [5, 77])
            #expect(numbers(await devices.devices(of: stage.juliet)) == [2])
        }
    }

    // MARK: Bundles

    @Test(
        "the bundle of a device is read in both generations, and its label is checked",
        arguments: OMEMOGeneration.allCases)
    func bundle(generation: OMEMOGeneration) async throws {
        let phone = try TestDevice(31_415)
        let entry = try OMEMODeviceList.Device(
            phone.id, label: "Phone", by: phone.identity, using: stage.cryptography)
        stage.nodes.put(OMEMODeviceList(.current, devices: [entry]), of: stage.juliet)
        stage.nodes.put(try phone.bundle(generation), of: phone.id, at: stage.juliet)
        try await stage.run { devices, _ in
            #expect(await devices.devices(of: stage.juliet).devices.map(\.label.text) == [nil])
            let bundle = try await devices.bundle(
                BundleAddress(DeviceAddress(stage.juliet, phone.id), generation))
            #expect(bundle.identityKey.fingerprint == phone.identity.publicKey.fingerprint)
            #expect(await devices.devices(of: stage.juliet).devices.map(\.label.text) == ["Phone"])
        }
    }

    @Test("a bundle that cannot be used is refused for its device alone, with a reason")
    func wrongBundles() async throws {
        let good = try TestDevice(1)
        let other = try TestDevice(2)
        stage.nodes.put(try good.bundle(.current), of: good.id, at: stage.juliet)
        let xml = MemoryNodes.text(try good.bundle(.current))
        let signature = try #require(xml.firstMatch(of: /<spks>(.*?)<\/spks>/)).output.1
        let otherXML = MemoryNodes.text(try other.bundle(.current))
        let otherSignature = try #require(otherXML.firstMatch(of: /<spks>(.*?)<\/spks>/)).output.1
        let identity = try #require(xml.firstMatch(of: /<ik>(.*?)<\/ik>/)).output.1
        let damaged = [
            xml.replacing(signature, with: otherSignature),
            xml.replacing(identity, with: Base64.encode([UInt8](repeating: 0xff, count: 32))),
            xml.replacing(identity, with: Base64.encode([UInt8](repeating: 1, count: 31))),
            xml.replacing(identity, with: "?"),
            xml.replacing(/<prekeys>.*<\/prekeys>/, with: "<prekeys/>"),
            xml.replacing("<prekeys>", with: "<prekeys>" + String(repeating: "<pk id='1'>AA==</pk>", count: 1_001)),
            "<bundle xmlns='urn:xmpp:omemo:2'/>", "<devices xmlns='urn:xmpp:omemo:2'/>",
            MemoryNodes.text(try good.bundle(.legacy)),
        ]
        let node = OMEMOGeneration.current.bundlesNode(of: good.id)
        for (index, text) in damaged.enumerated() {
            stage.nodes.put(try XMLElement(parsing: text), id: "\(100 + index)", in: node, of: stage.juliet)
        }
        let ids = [1] + (0..<damaged.count).map { UInt32(100 + $0) } + [999]
        let addresses = try ids.map {
            BundleAddress(DeviceAddress(stage.juliet, try #require(OMEMODevice($0))), .current)
        }
        try await stage.run { devices, _ in
            let results = await devices.bundles(addresses)
            #expect(results.count == addresses.count)
            for address in addresses {
                let number = address.device.device.number
                switch results[address] {
                case .success?: #expect(number == 1)
                case .failure(let error)?:
                    #expect(error.code == (number == 999 ? .bundleMissing : .bundleDamaged), "\(number)")
                    #expect(error.recipients.map(\.device) == ["\(number)"])
                    #expect(error.scheme == "urn:xmpp:omemo:2" && !error.isTemporary)
                case nil: Issue.record("\(number)")
                }
            }
        }
    }

    @Test("the bundle of another device is not taken for the one that was requested")
    func otherBundle() async throws {
        let thief = try TestDevice(66)
        let wanted = try #require(OMEMODevice(1))
        let node = OMEMOGeneration.current.bundlesNode(of: wanted)
        await stage.server.answer { element in
            guard case .iq(let iq)? = try? AnyStanza(element), let payload = iq.payload,
                (try? ItemsRequest(from: payload)) != nil, let bundle = try? thief.bundle(.current)
            else { return nil }
            var answer = IQ.result(
                for: iq,
                payload: ItemsPage(node: node, items: [PublishedItem(id: "66", payload: XMLElement(bundle))]))
            answer.from = iq.to
            return [MemoryNodes.text(answer)]
        }
        try await stage.runAlone { devices, _ in
            let error = await #expect(throws: ProtectionError.self) {
                try await devices.bundle(BundleAddress(DeviceAddress(stage.juliet, wanted), .current))
            }
            #expect(error?.code == .bundleMissing)
        }
    }

    @Test("a bundle that could not be had is requested again only when its backoff has passed")
    func bundleBackoff() async throws {
        let phone = try TestDevice(31)
        let address = BundleAddress(DeviceAddress(stage.juliet, phone.id), .legacy)
        let node = OMEMOGeneration.legacy.bundlesNode(of: phone.id)
        try await stage.run { devices, _ in
            for _ in 0..<5 {
                let error = await #expect(throws: ProtectionError.self) { try await devices.bundle(address) }
                #expect(error?.code == .bundleMissing)
            }
            #expect(stage.nodes.requests(of: node) == 1)
            stage.nodes.put(try phone.bundle(.legacy), of: phone.id, at: stage.juliet)
            await #expect(throws: ProtectionError.self) { try await devices.bundle(address) }
            stage.clock.advance(by: .seconds(30))
            _ = try await devices.bundle(address)
            #expect(stage.nodes.requests(of: node) == 2)
        }
    }

    @Test("a bundle that this device has published is not missing any more")
    func ownBundle() async throws {
        let phone = try TestDevice(31)
        let address = BundleAddress(DeviceAddress(stage.romeo, phone.id), .current)
        try await stage.run { devices, _ in
            await #expect(throws: ProtectionError.self) { try await devices.bundle(address) }
            try await devices.publish(try phone.bundle(.current), of: phone.id)
            #expect(try await devices.bundle(address).identityKey == phone.identity.publicKey)
        }
    }

    @Test("the account has published something new: its bundles are requested again at once")
    func newList() async throws {
        let phone = try TestDevice(31)
        let address = BundleAddress(DeviceAddress(stage.juliet, phone.id), .current)
        try await stage.run { devices, _ in
            await #expect(throws: ProtectionError.self) { try await devices.bundle(address) }
            stage.nodes.put(try phone.bundle(.current), of: phone.id, at: stage.juliet)
            let events = devices.events()
            try await stage.send(MemoryNodes.notice(stage.list(.current, 31), of: stage.juliet))
            _ = await events.first { _ in true }
            _ = try await devices.bundle(address)
        }
    }

    @Test("a few bundles are requested at a time, however many are needed")
    func parallel() async throws {
        let node = OMEMOGeneration.current.bundlesNode(of: try #require(OMEMODevice(1)))
        stage.nodes.silence(node)
        let addresses = (1...50).compactMap { OMEMODevice(UInt32($0)) }.map {
            BundleAddress(DeviceAddress(stage.juliet, $0), .current)
        }
        try await stage.run { devices, session in
            let work = Task { await devices.bundles(addresses) }
            for _ in 0..<EncryptionLimits.parallelRequestsOfServer {
                await stage.server.next { MemoryNodes.text($0).contains("urn:xmpp:omemo:2:bundles") }
            }
            // Everything that was sent before the answer to this has arrived.
            await #expect(throws: ClientError.self) {
                try await session.request(NodePurge(node: "urn:example:last"))
            }
            #expect(stage.nodes.requests(of: node) == EncryptionLimits.parallelRequestsOfServer)
            work.cancel()
            #expect(await work.value.count == 50)
        }
    }
}
