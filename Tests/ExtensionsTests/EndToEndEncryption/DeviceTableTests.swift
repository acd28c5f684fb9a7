import Cryptography
import OMEMO
import Testing
import Waiting
import XMPPAddress

@testable import EndToEndEncryption

@Suite("What is known of announced devices")
struct DeviceTableTests {
    private let cryptography = OpenSSLCryptography()
    private let juliet: JID
    private let start = ContinuousInstant(sinceStart: .zero)

    init() throws { juliet = try JID("juliet@capulet.example") }

    private func device(_ number: Int) throws -> OMEMODevice { try #require(OMEMODevice(UInt32(number))) }

    private func list(_ generation: OMEMOGeneration, _ numbers: some Sequence<Int>) throws -> OMEMODeviceList {
        OMEMODeviceList(generation, devices: try numbers.map { OMEMODeviceList.Device(try device($0)) })
    }

    private func listing(_ table: inout DeviceTable) -> DeviceListing {
        table.listing(of: juliet, using: cryptography)
    }

    @Test("the lists of both generations are one, sorted, and each device has the newest generation that it announces")
    func merged() throws {
        var table = DeviceTable()
        table.announced(.success(try list(.legacy, [31, 7])), .legacy, by: juliet, now: start)
        table.announced(.success(try list(.current, [31, 99])), .current, by: juliet, now: start)
        let devices = listing(&table).devices
        #expect(devices.map(\.id.number) == [7, 31, 99])
        #expect(devices.map(\.newest) == [.legacy, .current, .current])
        #expect(listing(&table)[try device(31)]?.generations == [.legacy, .current])
        #expect(listing(&table).error == nil)
    }

    @Test("of an account with many devices a hundred are considered, and the listing says how many are not")
    func manyDevices() throws {
        var table = DeviceTable()
        table.announced(.success(try list(.current, 1...400)), .current, by: juliet, now: start)
        table.announced(.success(try list(.legacy, 401...500)), .legacy, by: juliet, now: start)
        let listing = listing(&table)
        #expect(listing.devices.count == EncryptionLimits.devices)
        #expect(listing.devices.allSatisfy { $0.newest == .current && $0.id.number > 300 })
        #expect(listing.omittedCount == 400)
    }

    @Test("a limited number of accounts is stored, and the least recently used one is dropped")
    func manyAccounts() throws {
        var table = DeviceTable(limit: 3)
        let accounts = try (0..<4).map { try JID("person\($0)@capulet.example") }
        for account in accounts.prefix(3) {
            table.announced(.success(try list(.current, [1])), .current, by: account, now: start)
        }
        _ = table.listing(of: accounts[0], using: cryptography)
        table.announced(.success(try list(.current, [1])), .current, by: accounts[3], now: start)
        #expect(table.count == 3)
        #expect(accounts.map { table.knows($0) } == [true, false, true, true])
    }

    @Test("a requested list is requested again after some minutes, an announced one is not")
    func lifetime() throws {
        var table = DeviceTable()
        #expect(table.due(of: juliet, now: start) == OMEMOGeneration.allCases)
        table.answered(.success(try list(.legacy, [1])), .legacy, of: juliet, notices: 0, now: start)
        table.announced(.success(try list(.current, [1])), .current, by: juliet, now: start)
        #expect(table.due(of: juliet, now: start.advanced(by: .seconds(599))) == [])
        #expect(table.due(of: juliet, now: start.advanced(by: .seconds(600))) == [.legacy])
        #expect(table.due(of: juliet, now: start.advanced(by: .seconds(86_400))) == OMEMOGeneration.allCases)
        table.sessionLost()
        #expect(table.due(of: juliet, now: start) == OMEMOGeneration.allCases)
        #expect(listing(&table).devices.count == 1)
    }

    @Test("a list that cannot be had is requested again later each time, and at once after a new login")
    func backoff() throws {
        var table = DeviceTable()
        table.announced(.success(try list(.legacy, [])), .legacy, by: juliet, now: start)
        var now = start
        for wait in [30, 60, 120, 240] {
            table.answered(.failure(ListRefusal(.unreachable)), .current, of: juliet, notices: 0, now: now)
            #expect(table.due(of: juliet, now: now.advanced(by: .seconds(wait - 1))) == [])
            now = now.advanced(by: .seconds(wait))
            #expect(table.due(of: juliet, now: now) == [.current])
        }
        for _ in 0..<100 {
            table.answered(.failure(ListRefusal(.unreachable)), .current, of: juliet, notices: 0, now: now)
        }
        #expect(table.due(of: juliet, now: now.advanced(by: .seconds(3_600))) == [.current])
        table.sessionLost()
        #expect(table.due(of: juliet, now: now).contains(.current))
        // Nothing was requested, so the next request need not wait.
        let offline = ListRefusal(.unreachable, isOfServer: false)
        table.answered(.failure(offline), .current, of: juliet, notices: 0, now: now)
        #expect(listing(&table).failures == [.current: .unreachable])
        #expect(table.due(of: juliet, now: now).contains(.current))
    }

    @Test("an answer that an announcement has overtaken is ignored")
    func overtaken() throws {
        var table = DeviceTable()
        let notices = table.notices(of: juliet, .current)
        table.announced(.success(try list(.current, [2])), .current, by: juliet, now: start)
        table.answered(.success(try list(.current, [1])), .current, of: juliet, notices: notices, now: start)
        #expect(listing(&table).devices.map(\.id.number) == [2])
    }

    @Test(
        "a server that is silent leaves the earlier devices, one that refuses or tells nonsense does not",
        arguments: DeviceListing.Failure.allCases)
    func failures(failure: DeviceListing.Failure) throws {
        var table = DeviceTable()
        table.answered(.success(try list(.current, [1])), .current, of: juliet, notices: 0, now: start)
        table.answered(.failure(ListRefusal(failure)), .current, of: juliet, notices: 0, now: start)
        let listing = listing(&table)
        #expect(listing.failures == [.current: failure])
        #expect(listing.devices.count == (failure == .unreachable ? 1 : 0))
        #expect((listing.error == nil) == (failure == .unreachable))
    }

    @Test("why nothing can be encrypted is an error with a code")
    func errors() throws {
        #expect(DeviceListing(juliet).error?.code == .noDevice)
        let codes: [DeviceListing.Failure: String] = [
            .forbidden: "keys-forbidden", .damaged: "list-damaged", .tooManyDevices: "too-many-devices",
            .unreachable: "unreachable",
        ]
        for (failure, code) in codes {
            let error = try #require(DeviceListing(juliet, failures: [.legacy: failure]).error)
            #expect(error.code.rawValue == code)
            #expect(error.isTemporary == (failure == .unreachable))
            #expect(error.recipients.map(\.address) == [juliet])
        }
    }

    @Test("a label is shown only if the device itself has signed it")
    func labels() throws {
        let (phone, thief) = (try TestDevice(31), try TestDevice(66))
        let signed = try OMEMODeviceList.Device(phone.id, label: "Phone", by: phone.identity, using: cryptography)
        var table = DeviceTable()
        table.announced(.success(OMEMODeviceList(.current, devices: [signed])), .current, by: juliet, now: start)
        #expect(listing(&table)[phone.id]?.label == .unchecked(signed))
        #expect(listing(&table)[phone.id]?.label.text == nil)
        table.identified(DeviceAddress(juliet, phone.id), phone.identity.publicKey)
        #expect(listing(&table)[phone.id]?.label == .signed("Phone"))
        var forged = signed
        forged.label = "Phone of Romeo"
        table.announced(.success(OMEMODeviceList(.current, devices: [forged])), .current, by: juliet, now: start)
        #expect(listing(&table)[phone.id]?.label == .forged)
        #expect(DeviceLabel.unchecked(signed).checked(by: thief.identity.publicKey, using: cryptography) == .forged)
        // The key of a device that is gone is forgotten with it.
        table.announced(.success(OMEMODeviceList(.current, devices: [])), .current, by: juliet, now: start)
        table.announced(.success(OMEMODeviceList(.current, devices: [signed])), .current, by: juliet, now: start)
        #expect(listing(&table)[phone.id]?.label == .unchecked(signed))
    }

    @Test("messages from unknown devices cause a few requests a minute")
    func refreshes() throws {
        var table = DeviceTable()
        table.announced(.success(try list(.current, [1])), .current, by: juliet, now: start)
        func count(_ seconds: Int) -> Int {
            (0..<100).count { _ in table.mayRefresh(juliet, now: start.advanced(by: .seconds(seconds))) }
        }
        #expect(count(0) == EncryptionLimits.refreshesPerMinute)
        #expect(count(59) == 0)
        #expect(count(60) == EncryptionLimits.refreshesPerMinute)
    }

    @Test("one server gets a few requests at a time, and none for a while after it was silent")
    func silence() async throws {
        let limiter = RequestLimiter()
        let start = start
        let count = EncryptionLimits.parallelRequestsOfServer
        for _ in 0..<count { #expect(await limiter.enter("capulet.lit", now: { start })) }
        let next = Task { await limiter.enter("capulet.lit", now: { start }) }
        #expect(await limiter.enter("montague.lit", now: { start }))
        limiter.leave("montague.lit", wasSilent: false, now: start)
        for _ in 0..<count { limiter.leave("capulet.lit", wasSilent: true, now: start) }
        // What waited, or comes now, is not sent.
        #expect(await next.value == false)
        #expect(await !limiter.enter("capulet.lit", now: { start.advanced(by: .seconds(29)) }))
        let later = start.advanced(by: .seconds(30))
        #expect(await limiter.enter("capulet.lit", now: { later }))
        limiter.leave("capulet.lit", wasSilent: true, now: later)
        #expect(await !limiter.enter("capulet.lit", now: { later.advanced(by: .seconds(59)) }))
        limiter.reset()
        #expect(await limiter.enter("capulet.lit", now: { later }))
        limiter.leave("capulet.lit", wasSilent: false, now: later)
        #expect(await limiter.enter("capulet.lit", now: { later }))
    }

    @Test("failures of bundles are remembered in a limited number")
    func bundleFailures() throws {
        var failures = BundleFailures(limit: 10)
        for number in 1...25 {
            let address = BundleAddress(DeviceAddress(juliet, try device(number)), .current)
            failures.failed(address, BundleFailure(.missing).protectionError(address), now: start)
            #expect(failures.error(of: address, now: start)?.code == .bundleMissing)
            #expect(failures.error(of: address, now: start.advanced(by: .seconds(30))) == nil)
        }
        #expect(failures.count <= 10)
    }
}

/// A device with its keys, as the tests publish them.
struct TestDevice {
    let id: OMEMODevice
    let identity: IdentityKeyPair
    private let signedPreKey: SignedPreKeyPair
    private let preKeys: [PreKeyPair]
    private let cryptography = OpenSSLCryptography()

    init(_ number: UInt32) throws {
        id = try #require(OMEMODevice(number))
        identity = try .random(using: cryptography)
        signedPreKey = SignedPreKeyPair(try .random(id: 1, using: cryptography), created: 0)
        preKeys = try PreKeyPair.random(count: 25, after: 0, using: cryptography)
    }

    func bundle(_ generation: OMEMOGeneration) throws -> OMEMOBundle {
        try OMEMOBundle(
            generation, identity: identity, signedPreKey: signedPreKey, preKeys: preKeys, using: cryptography)
    }
}
