import Cryptography
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

@Suite("Announcing this device", .timeLimit(.minutes(5)))
struct AnnouncingTests {
    private let stage: DevicesStage
    private let phone: TestDevice

    init() throws {
        stage = try DevicesStage()
        phone = try TestDevice(77)
    }

    private func publishAll(_ devices: OMEMODevices) async throws {
        for generation in OMEMOGeneration.allCases {
            try await devices.publish(try phone.bundle(generation), of: phone.id)
        }
        try await devices.announce(
            try OMEMODeviceList.Device(phone.id, label: "Phone", by: phone.identity, using: stage.cryptography))
    }

    @Test("bundles and lists of both generations are published for everybody, and the other devices stay")
    func publishing() async throws {
        stage.nodes.put(stage.list(.legacy, 5, 6), of: stage.romeo)
        try await stage.run { devices, _ in
            try await publishAll(devices)
            #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [5, 6, 77])
            #expect(stage.nodes.devices(.current, of: stage.romeo) == [77])
            let names = [
                "urn:xmpp:omemo:2:devices", "urn:xmpp:omemo:2:bundles", "eu.siacs.conversations.axolotl.devicelist",
                "eu.siacs.conversations.axolotl.bundles:77",
            ]
            for name in names { #expect(stage.nodes[name, of: stage.romeo]?.accessModel == "open", "\(name)") }
            let bundles = try #require(stage.nodes["urn:xmpp:omemo:2:bundles", of: stage.romeo])
            #expect(bundles.items.map(\.id) == ["77"] && bundles.maximum == "max")
            #expect(stage.nodes["urn:xmpp:omemo:2:devices", of: stage.romeo]?.items.map(\.id) == ["current"])
            let listing = await devices.devices(of: stage.romeo)
            #expect(listing.devices.map(\.id.number) == [5, 6, 77])
            #expect(
                listing[phone.id]?.label.checked(by: phone.identity.publicKey, using: stage.cryptography).text
                    == "Phone")
        }
    }

    @Test("nodes that others cannot read are repaired, also where nothing has to be published")
    func repair() async throws {
        try await stage.run { devices, _ in
            try await publishAll(devices)
            let nodes = OMEMOGeneration.allCases.flatMap { [$0.devicesNode, $0.bundlesNode(of: phone.id)] }
            for node in nodes { stage.nodes.change(node, of: stage.romeo) { $0.accessModel = "whitelist" } }
            stage.nodes.change("urn:xmpp:omemo:2:bundles", of: stage.romeo) { $0.maximum = "1" }
            try await publishAll(devices)
            for node in nodes { #expect(stage.nodes[node, of: stage.romeo]?.accessModel == "open", "\(node)") }
            #expect(try await devices.repairAccess(of: phone.id) == [])
            for node in nodes { stage.nodes.change(node, of: stage.romeo) { $0.accessModel = "presence" } }
            // Nothing is different in the lists.
            try await devices.announce(
                try OMEMODeviceList.Device(phone.id, label: "Phone", by: phone.identity, using: stage.cryptography))
            for node in nodes { #expect(stage.nodes[node, of: stage.romeo]?.accessModel == "open", "\(node)") }
            for node in nodes { stage.nodes.change(node, of: stage.romeo) { $0.accessModel = "authorize" } }
            #expect(Set(try await devices.repairAccess(of: phone.id)) == Set(nodes))
        }
    }

    @Test("an id that another device has is not chosen")
    func unused() async throws {
        stage.nodes.put(stage.list(.current, 5), of: stage.romeo)
        try await stage.run { devices, _ in
            let id = try await devices.unusedDevice()
            #expect(id.number != 5)
        }
    }

    @Test("a device that another program removes announces itself again, later each time")
    func removed() async throws {
        try await stage.run { devices, _ in
            try await publishAll(devices)
            let events = devices.events()
            func remove() async throws {
                let list = stage.list(.legacy, 5)
                stage.nodes.put(list, of: stage.romeo)
                try await stage.send(MemoryNodes.notice(list, of: stage.romeo))
                #expect(await events.first { $0 == .ownDeviceMissing(.legacy) } != nil)
            }
            // At once.
            try await remove()
            #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil)
            #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [5, 77])
            for wait in [5, 10, 20] {
                let node = OMEMOGeneration.legacy.devicesNode
                let before = stage.nodes.requests(of: node)
                try await remove()
                stage.clock.advance(by: .seconds(wait - 1))
                _ = try? await devices.session.request(NodePurge(node: "urn:example:last"))
                #expect(stage.nodes.requests(of: node) == before)
                try await stage.clock.run(.milliseconds(100)) {
                    #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil)
                }
                #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [5, 77])
            }
        }
    }

    @Test("an announcement that fails without a connection follows when the session is resumed")
    func resumed() async throws {
        var stage = stage
        stage.change = { [clock = stage.clock] configuration in
            clock.drive(&configuration)
            // Long enough that the announcement fails before the connection is back.
            configuration.reconnection = ReconnectionPolicy(attempts: 3, backoff: Backoff(first: .seconds(120)))
        }
        try await stage.run { [stage] devices, session in
            try await publishAll(devices)
            let events = devices.events()
            for isFirst in [true, false] {
                let list = stage.list(.legacy, 5)
                stage.nodes.put(list, of: stage.romeo)
                try await stage.send(MemoryNodes.notice(list, of: stage.romeo))
                #expect(await events.first { $0 == .ownDeviceMissing(.legacy) } != nil)
                if isFirst { #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil) }
            }
            // The second announcement waits five seconds; meanwhile the connection breaks.
            await stage.server.cut("romeo")
            let address = await session.address
            try await stage.clock.run(.milliseconds(500)) {
                #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil)
            }
            #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [5, 77])
            // It was resumed: the address, whose resource the server chose, is the same.
            #expect(await session.address == address)
            #expect(await stage.server.connections == 2)
        }
    }

    @Test("two devices that announce themselves at the same moment are both announced")
    func overtaken() async throws {
        try await stage.run { devices, _ in
            let events = devices.events()
            for generation in OMEMOGeneration.allCases { stage.nodes.overtake(stage.list(generation, 5)) }
            try await publishAll(devices)
            try await stage.clock.run(.milliseconds(100)) {
                var again: Set<OMEMOGeneration> = []
                for await case .announcedAgain(let generation) in events {
                    again.insert(generation)
                    if again.count == 2 { break }
                }
            }
            for generation in OMEMOGeneration.allCases {
                #expect(stage.nodes.devices(generation, of: stage.romeo) == [5, 77])
            }
        }
    }

    @Test("a list without this device that is repeated is one removal")
    func repeated() async throws {
        try await stage.run { devices, session in
            try await publishAll(devices)
            let events = devices.events()
            let list = stage.list(.legacy, 5)
            try await stage.send(MemoryNodes.notice(list, of: stage.romeo))
            #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil)
            let node = OMEMOGeneration.legacy.devicesNode
            let before = stage.nodes.requests(of: node)
            for _ in 0..<100 { try await stage.send(MemoryNodes.notice(list, of: stage.romeo)) }
            // Read after all of them.
            try await stage.send(MemoryNodes.notice(stage.list(.current, 1, 77), of: stage.juliet))
            var removals = 0
            for await event in events {
                if event == .ownDeviceMissing(.legacy) { removals += 1 }
                if case .listChanged(let listing) = event, listing.account == stage.juliet { break }
            }
            #expect(removals == 1)
            try await stage.clock.run(.milliseconds(100)) {
                #expect(await events.first { $0 == .announcedAgain(.legacy) } != nil)
            }
            #expect(stage.nodes.requests(of: node) == before + 1)
        }
    }

    @Test("a list that is read before this device has announced itself is no removal")
    func notYet() async throws {
        stage.nodes.put(stage.list(.current, 5), of: stage.romeo)
        try await stage.run { devices, _ in
            let events = devices.events()
            stage.nodes.before(OMEMOGeneration.current.devicesNode) { [stage] _ in
                [MemoryNodes.notice(stage.list(.current, 5), of: stage.romeo)]
            }
            try await publishAll(devices)
            _ = await devices.devices(of: stage.romeo)
            try await stage.send(MemoryNodes.notice(stage.list(.legacy, 77, 123), of: stage.romeo))
            for await event in events {
                guard case .listChanged(let listing) = event else {
                    Issue.record("\(event)")
                    break
                }
                if listing.devices.contains(where: { $0.id.number == 123 }) { break }
            }
        }
    }

    @Test("a device that was withdrawn stays away, with its keys")
    func withdrawn() async throws {
        stage.nodes.put(stage.list(.current, 5), of: stage.romeo)
        try await stage.run { devices, _ in
            try await publishAll(devices)
            try await devices.withdraw(phone.id)
            #expect(stage.nodes.devices(.current, of: stage.romeo) == [5])
            #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [])
            #expect(stage.nodes["urn:xmpp:omemo:2:bundles", of: stage.romeo]?.items.isEmpty == true)
            #expect(stage.nodes["eu.siacs.conversations.axolotl.bundles:77", of: stage.romeo] == nil)
            let events = devices.events()
            try await stage.send(MemoryNodes.notice(stage.list(.legacy, 9), of: stage.romeo))
            let event = await events.first { _ in true }
            guard case .listChanged? = event else {
                Issue.record("\(String(describing: event))")
                return
            }
        }
    }

    @Test("a list of the account that cannot be read is replaced, one with too many devices is not")
    func ownList() async throws {
        let node = OMEMOGeneration.current.devicesNode
        stage.nodes.put(XMLElement(XMLName("list", "urn:example"), text: ""), in: node, of: stage.romeo)
        let many = OMEMODeviceList(
            .legacy, devices: (1...501).compactMap { OMEMODevice(UInt32($0)) }.map { OMEMODeviceList.Device($0) })
        stage.nodes.put(many, of: stage.romeo)
        try await stage.run { devices, _ in
            try await devices.announce(OMEMODeviceList.Device(phone.id), in: [.current])
            #expect(stage.nodes.devices(.current, of: stage.romeo) == [77])
            let error = await #expect(throws: ProtectionError.self) {
                try await devices.announce(OMEMODeviceList.Device(phone.id), in: [.legacy])
            }
            #expect(error?.code == .tooManyDevices)
            try await devices.publish(stage.list(.legacy, 1, 2, 77))
            #expect(stage.nodes.devices(.legacy, of: stage.romeo) == [1, 2, 77])
        }
    }

    @Test("a server that refuses the keys is an error with its reason")
    func refused() async throws {
        await stage.server.refuse(
            XMLName("pubsub", "http://jabber.org/protocol/pubsub"), StanzaError(.policyViolation))
        try await stage.runAlone { devices, _ in
            let error = await #expect(throws: ProtectionError.self) {
                try await devices.publish(try phone.bundle(.current), of: phone.id)
            }
            #expect(error?.code == .publishingRefused && error?.isTemporary == false)
        }
    }
}
