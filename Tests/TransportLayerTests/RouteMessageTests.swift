import Testing

@testable import TransportLayer

/// Messages of the kernel about the network, as bytes.
struct RouteMessageTests {
    /// The addresses of a machine with one interface: 127.0.0.1, 192.0.2.1, ::1, 2001:db8::1 and two link-local ones.
    private static let recordedAddresses = bytes(
        """
        4c000000140002000700000047020000020880fe01000000080001007f000001080002007f000001070003006c6f00000800
        08008000000014000600ffffffffffffffff8d4517008d4517004c0000001400020007000000470200000218800003000000
        08000100c000020108000200c00002010700030076300000080008008000000014000600ffffffffffffffff8e4517008e45
        1700500000001400020007000000470200000a8080fe01000000140001000000000000000000000000000000000114000600
        ffffffffffffffff8d4517008d451700080008008000000005000b0001000000500000001400020007000000470200000a40
        c0fd0200000014000100fe8000000000000040c84ffffe04417a14000600ffffffffffffffff8f4517008f45170008000800
        c000000005000b0003000000480000001400020007000000470200000a408200030000001400010020010db8000000000000
        00000000000114000600ffffffffffffffff9045170090451700080008008200000050000000140002000700000047020000
        0a40c0fd0300000014000100fe800000000000005ca718fffe3ff13f14000600ffffffffffffffff8f4517008f4517000800
        0800c000000005000b00030000001400000003000200070000004702000000000000
        """)

    /// The removal of a default route through 192.0.2.2.
    private static let recordedRoute = bytes(
        """
        3400000019000000d0e6016b8202000002000000fe0300010000000008000f00fe00000008000500c0000202080004000300
        0000
        """)

    /// Recorded on a little-endian machine; on a big-endian one the byte order must be changed.
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// A message in the kernel's format.
    private func message(
        _ type: UInt16, _ body: [UInt8], _ attributes: [(UInt16, [UInt8])] = [], flags: UInt16 = 2,
        sequence: UInt32 = 7, port: UInt32 = 9
    ) -> [UInt8] {
        var payload = body
        for (type, value) in attributes {
            payload += raw(UInt16(4 + value.count)) + raw(type) + value
            payload += [UInt8](repeating: 0, count: -value.count & 3)
        }
        return raw(UInt32(16 + payload.count)) + raw(type) + raw(flags) + raw(sequence) + raw(port) + payload
    }

    private func raw(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { [UInt8]($0) }
    }

    private func link(_ index: Int32, flags: UInt32) -> [UInt8] {
        message(16, [0, 0] + raw(UInt16(1)) + raw(index) + raw(flags) + raw(UInt32(0)), [(3, Array("eth0\0".utf8))])
    }

    private func address(_ index: UInt32, _ bytes: [UInt8], scope: UInt8 = 0, flags: UInt32 = 0x80) -> [UInt8] {
        message(
            20, [bytes.count == 4 ? 2 : 10, 24, UInt8(truncatingIfNeeded: flags), scope] + raw(index),
            [(1, bytes), (8, raw(flags))])
    }

    private func route(
        _ index: UInt32, gateway: [UInt8], metric: UInt32 = 100, length: UInt8 = 0, table: UInt32 = 254,
        type: UInt8 = 1,
        flags: UInt32 = 0
    ) -> [UInt8] {
        message(
            24,
            [gateway.count == 16 ? 10 : 2, length, 0, 0, UInt8(truncatingIfNeeded: table), 3, 0, type] + raw(flags),
            [(15, raw(table)), (5, gateway), (6, raw(metric)), (4, raw(index))])
    }

    private static let up: UInt32 = 0x41

    @Test("Recorded addresses are read with their scope")
    func recorded() {
        let messages = RouteMessage.parse(Self.recordedAddresses)
        let addresses = messages.compactMap { message -> RouteMessage.Address? in
            if case .address(let address) = message.content { address } else { nil }
        }
        #expect(addresses.count == 6)
        #expect(addresses.filter(\.isGlobal).map { $0.bytes.count } == [4, 16])
        #expect(addresses.contains { $0.bytes == [192, 0, 2, 1] && $0.interface == 3 && $0.isGlobal })
        #expect(addresses.contains { $0.bytes == [127, 0, 0, 1] && !$0.isGlobal })
        #expect(addresses.contains { $0.bytes.starts(with: [0xFE, 0x80]) && !$0.isGlobal })
        #expect(messages.last?.content == .done)
        #expect(Set(messages.map(\.sequence)) == [7])
        // A removal is only a change; as an arrival it is a route.
        var route = Self.recordedRoute
        #expect(RouteMessage.parse(route).map(\.content) == [.other])
        route[4] = 24
        #expect(
            RouteMessage.parse(route).map(\.content) == [
                .route(RouteMessage.Route(interface: 3, isIPv6: false, gateway: [192, 0, 2, 2], metric: 0))
            ])
    }

    @Test("A list truncated anywhere gives its complete entries, and never more")
    func truncated() {
        let whole = RouteMessage.parse(Self.recordedAddresses)
        for count in 0..<Self.recordedAddresses.count {
            let part = RouteMessage.parse(Array(Self.recordedAddresses.prefix(count)))
            #expect(part.count < whole.count)
            #expect(part.elementsEqual(whole.prefix(part.count)))
        }
    }

    @Test("Wrong lengths are rejected")
    func lies() {
        let good = address(3, [192, 0, 2, 1])
        for length in [0, 1, 15, UInt32(good.count + 1), .max] {
            #expect(RouteMessage.parse(raw(length) + good.dropFirst(4)).isEmpty)
        }
        // Shorter than its structure, or than the length of an attribute.
        for length in 16..<24 {
            let cut = raw(UInt32(length)) + good[4..<length]
            #expect(RouteMessage.parse(Array(cut)).map(\.content) == [.other])
        }
        var bytes = good
        for length in [0, 3, 9, 200] as [UInt16] {
            bytes.replaceSubrange(24..<26, with: raw(length))
            #expect(RouteMessage.parse(bytes).count == 1)
        }
        var seed: UInt32 = 5
        for _ in 0..<20_000 {
            var mixed = route(3, gateway: [192, 0, 2, 2]) + good + link(3, flags: Self.up)
            for _ in 0..<4 {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                mixed[Int(seed >> 8) % mixed.count] = UInt8(truncatingIfNeeded: seed >> 24)
            }
            #expect(RouteMessage.parse(mixed).count <= 17)
        }
    }

    @Test("Only default routes of the main table count")
    func routes() {
        func isRoute(_ bytes: [UInt8]) -> Bool {
            if case .route? = RouteMessage.parse(bytes).first?.content { true } else { false }
        }
        #expect(isRoute(route(3, gateway: [192, 0, 2, 2])))
        #expect(isRoute(route(3, gateway: [UInt8](repeating: 1, count: 16))))
        #expect(!isRoute(route(3, gateway: [192, 0, 2, 2], length: 24)))
        #expect(!isRoute(route(3, gateway: [192, 0, 2, 2], table: 255)))
        #expect(!isRoute(route(3, gateway: [192, 0, 2, 2], type: 7)))
        #expect(!isRoute(route(3, gateway: [192, 0, 2, 2], flags: 0x200)))
        let failed = message(2, raw(Int32(-16)) + raw(UInt32(0)))
        #expect(RouteMessage.parse(failed).first?.content == .failed(16))
        #expect(RouteMessage.parse(message(3, [], flags: 0x12)).first?.isInterrupted == true)
    }

    @Test("A snapshot contains the usable entries: interfaces that are up, no loopback, no tentative address")
    func snapshots() {
        func snapshot(_ parts: [UInt8]...) -> NetworkSnapshot {
            NetworkSnapshot(RouteMessage.parse(Array(parts.joined())))
        }
        let own = address(3, [192, 0, 2, 1])
        let way = route(3, gateway: [192, 0, 2, 2])
        let good = snapshot(link(3, flags: Self.up), own, way)
        #expect(good.isAvailable && good.addresses.count == 1 && good.defaultRoutes.count == 1)
        #expect(!snapshot(own, way).isAvailable)
        #expect(!snapshot(link(3, flags: 1), own, way).isAvailable)
        #expect(!snapshot(link(3, flags: Self.up | 8), own, way).isAvailable)
        #expect(!snapshot(link(4, flags: Self.up), own, way).isAvailable)
        #expect(!snapshot(link(3, flags: Self.up), address(3, [169, 254, 0, 1], scope: 253)).isAvailable)
        #expect(!snapshot(link(3, flags: Self.up), address(3, [192, 0, 2, 1], flags: 0x40)).isAvailable)
        // A flag about the lifetime of an address changes nothing.
        #expect(good == snapshot(link(3, flags: Self.up | 0x1000), address(3, [192, 0, 2, 1], flags: 0), way))

        let moved = snapshot(link(3, flags: Self.up), address(3, [192, 0, 2, 9]), way)
        let rerouted = snapshot(link(3, flags: Self.up), own, route(3, gateway: [192, 0, 2, 3]))
        let none = snapshot()
        #expect(NetworkSnapshot.change(from: none, to: good) == .available)
        #expect(NetworkSnapshot.change(from: good, to: none) == .unavailable)
        #expect(NetworkSnapshot.change(from: good, to: moved) == .changed)
        #expect(NetworkSnapshot.change(from: good, to: rerouted) == .changed)
        #expect(NetworkSnapshot.change(from: good, to: good) == nil)
        #expect(NetworkSnapshot.change(from: none, to: none) == nil)
    }
}
