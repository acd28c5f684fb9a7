import ChatEngine
import ChatStore
import KeyFixtures
import Testing
import XMPPAddress

@testable import ChatModel

@MainActor
@Suite("The encryption of a conversation and the devices of an account")
struct EncryptionModelTests {
    private let juliet: JID
    private let romeo: JID
    private let key: ConversationKey

    init() throws {
        juliet = try JID("juliet@capulet.example")
        romeo = try JID("romeo@montague.example")
        key = ConversationKey(account: AccountID(rawValue: 1), address: romeo, kind: .direct)
    }

    private func model(_ service: KeySketch) -> EncryptionModel {
        EncryptionModel(key, service: service, events: { service.events() })
    }

    private func devices(_ address: JID, _ service: KeySketch) -> DeviceListModel {
        DeviceListModel(address, own: juliet, service: service, events: { service.events() })
    }

    @Test("the sign says what happens to the next message")
    func signs() async throws {
        let service = KeySketch(own: juliet)
        let model = model(service)
        #expect(model.sign == .unknown)
        let bob = ProtectionError.Recipient(romeo, device: "12", .undecided)
        for (forecast, sign) in [
            (EncryptionForecast(.encrypted, policy: .whenPossible), EncryptionModel.Sign.encrypted),
            (EncryptionForecast(.encrypted, policy: .whenPossible, unreadable: [bob]), .partly),
            (EncryptionForecast(.clear(.policy), policy: .never), .clear),
            (EncryptionForecast(.refused(.undecided), policy: .always, unreadable: [bob]), .refused),
            (EncryptionForecast(.waits(.unreachable), policy: .always), .unknown),
            (EncryptionForecast(.unknown, policy: .always), .unknown),
        ] {
            service.show(forecast)
            await model.refresh()
            #expect(model.sign == sign)
            #expect(model.isRefused == (sign == .refused))
            #expect(!Wording.forecast(model.forecast, with: "Romeo", in: .direct).isEmpty)
        }
    }

    @Test("an account without encryption sends in clear, and there is nothing to choose")
    func withoutEncryption() async {
        let model = EncryptionModel(key, service: nil, events: { AsyncStream { $0.finish() } })
        #expect(model.sign == .clear && !model.isAvailable)
        await model.setPolicy(.always)
        #expect(model.choice == nil && model.failure == nil)
    }

    @Test("a choice for the conversation is stored and shown; none follows the account again")
    func choice() async {
        let service = KeySketch(own: juliet)
        let model = model(service)
        await model.refresh()
        #expect(model.choice == nil)
        await model.setPolicy(.always)
        #expect(model.choice == .always && service.chosen == [.always])
        await model.setPolicy(nil)
        #expect(model.choice == nil && service.chosen == [.always, nil])
        service.fails = true
        await model.setPolicy(.never)
        #expect(model.failure == "This needs a connection; try again when the account is online.")
        #expect(model.choice == nil)
    }

    @Test("the model follows events of the conversation and the connection until it is cancelled")
    func following() async {
        let service = KeySketch(own: juliet)
        let model = model(service)
        let task = Task { await model.run() }
        await until { model.forecast != nil }
        service.show(EncryptionForecast(.clear(.policy), policy: .never))
        service.post(.encryption(romeo))
        await until { model.sign == .clear }
        task.cancel()
        await task.value
    }

    @Test("devices are listed with our own one for comparison, and decisions reach the service")
    func decisions() async throws {
        let service = KeySketch(own: juliet)
        service.list([.phone, .desk], of: romeo)
        let model = devices(romeo, service)
        await model.refresh()
        #expect(model.isKnown && !model.isOwn)
        #expect(model.devices.map(\.device) == [1, 2] && model.undecided.map(\.device) == [2])
        #expect(model.thisDevice?.isThisDevice == true)
        #expect(model.link?.hasPrefix("xmpp:juliet@capulet.example?omemo-sid-") == true)
        await model.setTrust(.verified, in: model.devices[1])
        #expect(model.devices[1].trust == .verified && model.verifiedCount == 1 && model.undecided.isEmpty)
        await model.forget(model.devices[0])
        #expect(model.devices.map(\.device) == [2])
        // The devices of another account are not ours to remove.
        await model.remove(model.devices[0])
        #expect(model.devices.count == 1 && service.removed.isEmpty)
    }

    @Test("an old device of our own is removed; this one never")
    func removal() async throws {
        let service = KeySketch(own: juliet)
        service.list([.this, .desk], of: juliet)
        let model = devices(juliet, service)
        await model.refresh()
        for device in model.devices { await model.remove(device) }
        #expect(service.removed == [2] && model.devices.map(\.device) == [7])
        await model.setTrust(.distrusted, in: model.devices[0])
        #expect(model.devices[0].trust == .verified)
    }

    @Test("unused devices are left out when the person says so, and included again")
    func unused() async throws {
        let service = KeySketch(own: juliet)
        let model = devices(juliet, service)
        await model.refresh()
        #expect(!model.excludesUnused)
        for isExcluding in [true, false] {
            await model.setExcludesUnused(isExcluding)
            let isExcluded = try await service.excludesUnusedDevices
            #expect(isExcluded == isExcluding && model.excludesUnused == isExcluding)
        }
        service.fails = true
        await model.setExcludesUnused(true)
        #expect(!model.excludesUnused && model.failure != nil)
    }

    @Test("a link of the account verifies its keys; that of another account does nothing")
    func links() async throws {
        let service = KeySketch(own: juliet)
        service.list([.phone, .desk], of: romeo)
        let model = devices(romeo, service)
        await model.refresh()
        let digits = try #require(EncryptionDevice.desk.fingerprint)
        let link = try #require(VerificationRequest(" xmpp:romeo@montague.example?omemo-sid-2=\(digits) "))
        #expect(link.account == romeo && link.count == 1)
        #expect(await model.verify(link) == "1 key is verified.")
        #expect(model.devices[1].trust == .verified)
        let other = try #require(VerificationRequest("xmpp:paris@verona.example?omemo-sid-2=\(digits)"))
        #expect(await model.verify(other) == nil)
        #expect(VerificationRequest("xmpp:romeo@montague.example") == nil)
        #expect(VerificationRequest(digits) == nil)
    }

    @Test("a failed action says why and changes nothing")
    func failure() async {
        let service = KeySketch(own: juliet)
        service.list([.phone], of: romeo)
        let model = devices(romeo, service)
        await model.refresh()
        service.fails = true
        await model.setTrust(.distrusted, in: model.devices[0])
        #expect(model.failure == "This needs a connection; try again when the account is online.")
        #expect(model.devices[0].trust == .trusted)
        model.clearFailure()
        #expect(model.failure == nil)
    }

    @Test("a fingerprint is shown in eight groups of eight digits, two per line")
    func fingerprints() {
        let lines = Wording.lines(EncryptionDevice.phone.fingerprintGroups).split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.count == 17 })
    }

    private func until(_ isTrue: () -> Bool) async {
        while !isTrue() { await Task.yield() }
    }
}
