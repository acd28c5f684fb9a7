import Cryptography
import EndToEndEncryption
import EntityInformation
import GroupChat
import MessageSemantics
import OMEMO
import PublishSubscribe
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Announced devices on real servers")
struct OMEMODevicesLiveTests {
    private static let cryptography = OpenSSLCryptography()

    private func nodes(of device: OMEMODevice) -> [String] {
        OMEMOGeneration.allCases.flatMap { [$0.devicesNode, $0.bundlesNode(of: device)] }
    }

    private func publish(_ device: TestDevice, on session: Session) async throws {
        let devices = try #require(session[OMEMODevices.self])
        for generation in OMEMOGeneration.allCases {
            try await devices.publish(try device.bundle(generation), of: device.id)
        }
        try await devices.announce(
            try OMEMODeviceList.Device(device.id, label: "Phone", by: device.identity, using: Self.cryptography))
    }

    private func accessModels(_ device: OMEMODevice, on session: Session) async throws -> [String: String] {
        let data = try #require(session[PublishSubscribe.self])
        var models: [String: String] = [:]
        for node in nodes(of: device) {
            models[node] = NodeConfiguration(try await data.configurationForm(of: node)).accessModel?.rawValue
        }
        return models
    }

    @Test("a stranger reads devices and keys of both generations, and its own keys too", arguments: ServerKind.allCases)
    func stranger(kind: ServerKind) async throws {
        let (phone, desk) = (try TestDevice(31), try TestDevice(32))
        try await kind.shared().withTwo(knowEachOther: false) { romeo, juliet in
            try await publish(phone, on: romeo)
            // Two devices of one account have two bundles in one node.
            try await publish(desk, on: romeo)
            let account = try #require(await romeo.address).bare
            for session in [juliet, romeo] {
                let devices = try #require(session[OMEMODevices.self])
                let listing = await devices.devices(of: account, isFresh: true)
                #expect(listing.failures == [:])
                #expect(listing.devices.map(\.id.number) == [31, 32])
                #expect(listing.devices.allSatisfy { $0.generations == Set(OMEMOGeneration.allCases) })
                for device in [phone, desk] {
                    for generation in OMEMOGeneration.allCases {
                        let bundle = try await devices.bundle(
                            BundleAddress(DeviceAddress(account, device.id), generation))
                        #expect(bundle.identityKey.isSame(as: device.identity.publicKey, using: Self.cryptography))
                    }
                }
                let labels = await devices.devices(of: account).devices.map(\.label.text)
                #expect(labels == ["Phone", "Phone"])
            }
            let missing = try #require(OMEMODevice(999))
            for generation in OMEMOGeneration.allCases {
                let error = await #expect(throws: ProtectionError.self) {
                    try await juliet[OMEMODevices.self]?.bundle(
                        BundleAddress(DeviceAddress(account, missing), generation))
                }
                // Prosody 0.12 does not tell a stranger that a node does not exist.
                let isHidden = kind == .prosody012 && generation == .legacy
                #expect(error?.code == (isHidden ? .keysForbidden : .bundleMissing))
            }
            let nobody = try JID("nobody@\(account.domain)")
            let empty = await juliet[OMEMODevices.self]?.devices(of: nobody)
            #expect(empty?.devices.isEmpty == true)
        }
    }

    @Test("nodes with a wrong access model are repaired", arguments: ServerKind.allCases)
    func repair(kind: ServerKind) async throws {
        let phone = try TestDevice(31)
        try await kind.shared().withTwo(knowEachOther: false) { romeo, juliet in
            let data = try #require(romeo[PublishSubscribe.self])
            var wrong = NodeConfiguration.privateData
            wrong.itemLimit = .count(1)
            for node in nodes(of: phone.id) { try await data.createNode(node, configuration: wrong) }
            let account = try #require(await romeo.address).bare
            let devices = try #require(juliet[OMEMODevices.self])
            try await publish(phone, on: romeo)
            var models = try await accessModels(phone.id, on: romeo)
            #expect(Set(models.values) == ["open"] && models.count == 4, "\(models)")
            for node in nodes(of: phone.id) { try await data.configure(node, wrong) }
            let listing = await devices.devices(of: account, isFresh: true)
            #expect(listing.failures == [.current: .forbidden, .legacy: .forbidden])
            #expect(listing.error?.code == .keysForbidden)
            let repaired = try await romeo[OMEMODevices.self]?.repairAccess(of: phone.id)
            #expect(Set(repaired ?? []) == Set(nodes(of: phone.id)))
            models = try await accessModels(phone.id, on: romeo)
            #expect(Set(models.values) == ["open"], "\(models)")
            #expect(await devices.devices(of: account, isFresh: true).devices.map(\.id.number) == [31])
            #expect(try await romeo[OMEMODevices.self]?.repairAccess(of: phone.id) == [])
        }
    }

    @Test("a contact is told of a new device without asking", arguments: ServerKind.allCases)
    func contact(kind: ServerKind) async throws {
        let (phone, desk) = (try TestDevice(31), try TestDevice(32))
        var everybody = RosterPolicy()
        everybody.acceptsAllRequests = true
        try await kind.shared().withTwo(roster: everybody) { romeo, juliet in
            let account = try #require(await romeo.address).bare
            let devices = try #require(juliet[OMEMODevices.self])
            let contacts = try #require(await juliet[Roster.self]?.events())
            _ = try await juliet[Roster.self]?.add(account)
            _ = try await contacts.first { if case .approved = $0 { true } else { nil } }
            let events = devices.events()
            try await publish(phone, on: romeo)
            let first = await events.first {
                if case .listChanged(let list) = $0 { list.devices.count == 1 } else { false }
            }
            #expect(first != nil)
            try await publish(desk, on: romeo)
            let second = await events.first {
                if case .listChanged(let list) = $0 {
                    list.devices.map(\.id.number) == [31, 32]
                        && list.devices.allSatisfy { $0.generations.count == 2 }
                } else {
                    false
                }
            }
            #expect(second != nil)
        }
    }

    @Test(
        "a device that another one removes from the list is back, and a withdrawn one is not",
        arguments: ServerKind.allCases)
    func removed(kind: ServerKind) async throws {
        let phone = try TestDevice(31)
        try await kind.shared().withTwoDevices { first, second in
            let (mine, other) = (try #require(first[OMEMODevices.self]), try #require(second[OMEMODevices.self]))
            let account = try #require(await first.address).bare
            try await publish(phone, on: first)
            let events = mine.events()
            try await other.publish(OMEMODeviceList(.current, devices: []))
            #expect(await events.first { $0 == .announcedAgain(.current) } != nil)
            #expect(await other.devices(of: account, isFresh: true).devices.allSatisfy { $0.generations.count == 2 })
            try await mine.withdraw(phone.id)
            let listing = await other.devices(of: account, isFresh: true)
            #expect(listing.devices.isEmpty && listing.failures == [:])
            let error = await #expect(throws: ProtectionError.self) {
                try await other.bundle(BundleAddress(DeviceAddress(account, phone.id), .legacy))
            }
            #expect(error?.code == .bundleMissing)
        }
    }

    @Test("a list that a device sends in its own name changes nothing", arguments: ServerKind.allCases)
    func forged(kind: ServerKind) async throws {
        let phone = try TestDevice(31)
        try await kind.shared().withTwo { romeo, juliet in
            try await publish(phone, on: romeo)
            let (account, target) = (try #require(await romeo.address).bare, try #require(await juliet.address))
            let devices = try #require(juliet[OMEMODevices.self])
            #expect(await devices.devices(of: account).devices.map(\.id.number) == [31])
            let forged = OMEMODeviceList(
                .current, devices: [OMEMODeviceList.Device(try #require(OMEMODevice(666)))])
            var message = Message(to: target, type: .headline)
            message.append(
                PublishSubscribeEvent.items(
                    node: OMEMOGeneration.current.devicesNode,
                    published: [PublishedItem(id: "current", payload: XMLElement(forged))], retracted: []))
            try await romeo.send(message)
            // The other end answers in order, so it has read the message before.
            _ = try await romeo.ping(target)
            #expect(await devices.cachedDevices(of: account)?.devices.map(\.id.number) == [31])
        }
    }

    @Test("members of a room are recipients, and a public one is refused", arguments: ServerKind.allCases)
    func room(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let address = try JID("omemo-\(UInt64.random(in: 0...UInt64.max))@conference.xmpp.test")
            let coven = ConversationAddress(address, kind: .room)
            let mine = try await #require(romeo[GroupChat.self]).enter(address, nickname: "Romeo")
            let (first, second) = (try #require(romeo[OMEMODevices.self]), try #require(juliet[OMEMODevices.self]))
            let refusal = await #expect(throws: ProtectionError.self) { try await first.recipients(in: coven) }
            #expect(refusal?.code == .anonymousRoom || refusal?.code == .publicRoom)
            try await mine.configure(["muc#roomconfig_whois": ["anyone"], "muc#roomconfig_membersonly": ["1"]])
            #expect(try await first.recipients(in: coven) == [])
            let (owner, member) = (try #require(await romeo.address).bare, try #require(await juliet.address).bare)
            try await mine.setAffiliation(.member, of: member)
            try await #require(juliet[GroupChat.self]).enter(address, nickname: "Juliet")
            // The owner's session learns of the new member by itself, perhaps after the member has entered.
            while try await first.recipients(in: coven) != [member] { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await second.recipients(in: coven) == [owner])
        }
    }
}
