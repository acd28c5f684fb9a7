internal import Foundation
public import MessagePayloads
public import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// The time of a device or server, and how far its clocks are from UTC (XEP-0202 Entity Time).
///
/// ```
/// C: <iq type='get' to='juliet@capulet.com/balcony'><time xmlns='urn:xmpp:time'/></iq>
/// S: <iq type='result'><time xmlns='urn:xmpp:time'><tzo>-06:00</tzo><utc>2006-12-19T17:58:35Z</utc></time></iq>
/// ```
public struct EntityTime: XMLPayload, Equatable {
    public static let name = XMLName("time", "urn:xmpp:time")
    private static let zone = XMLName("tzo", name.namespace)
    private static let utc = XMLName("utc", name.namespace)
    /// Minutes from UTC that a time zone can have (XEP-0082 §3.2: hours and minutes of a day).
    private static let offsets = -24 * 60 + 1..<24 * 60

    public var time: Timestamp
    /// What the clocks there show more than UTC, in minutes; less than a day.
    public var offset: Int

    /// - Parameter offset: in minutes, less than a day; further ones are cut off.
    public init(time: Timestamp, offset: Int) {
        self.time = time
        self.offset = min(max(offset, Self.offsets.lowerBound), Self.offsets.upperBound - 1)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let utc = try element.required(Self.utc)
        let zone = try element.required(Self.zone)
        guard let time = Timestamp(utc.text) else { throw XMLDecodingError(Self.utc, .invalidText) }
        guard let offset = Self.minutes(zone.text) else { throw XMLDecodingError(Self.zone, .invalidText) }
        self.init(time: time, offset: offset)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(Self.zone, text: zone)
        writer.element(Self.utc, text: time.description)
        writer.end()
    }

    /// The time zone as XEP-0082 §3.2 writes it: `Z`, or a sign with hours and minutes.
    private var zone: String {
        guard offset != 0 else { return "Z" }
        let (hours, minutes) = abs(offset).quotientAndRemainder(dividingBy: 60)
        func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return (offset < 0 ? "-" : "+") + twoDigits(hours) + ":" + twoDigits(minutes)
    }

    private static func minutes(_ zone: String) -> Int? {
        if zone == "Z" { return 0 }
        let bytes = Array(zone.utf8)
        guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            bytes[3] == UInt8(ascii: ":")
        else { return nil }
        var digits: [Int] = []
        for place in [1, 2, 4, 5] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
            digits.append(Int(bytes[place] - UInt8(ascii: "0")))
        }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours < 24, minutes < 60 else { return nil }
        return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }
}

extension EntityTime: IQResponse {}

extension EntityTime {
    /// The time of this computer, in the time zone of its user.
    public static var current: EntityTime {
        let now = Date()
        return EntityTime(
            time: Timestamp(millisecondsSince1970: Int64((now.timeIntervalSince1970 * 1000).rounded(.down))),
            offset: TimeZone.current.secondsFromGMT(for: now) / 60)
    }
}

/// Requests the time of a device or server (XEP-0202 Entity Time §2).
public struct EntityTimeRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = EntityTime
    public static let name = EntityTime.name
    public static let iqType = IQ.Kind.get

    public init() {}
}

extension Session {
    /// The time of a device or server (XEP-0202).
    ///
    /// - Throws: ``ClientError`` as for every request.
    public func time(of address: JID) async throws(ClientError) -> EntityTime {
        try await request(EntityTimeRequest(), to: address)
    }
}

/// Since when the user of a device has done nothing (XEP-0319 Last User Interaction in Presence): in an available presence,
/// left out as soon as the user is there again.
///
/// ```
/// <presence><show>away</show><idle xmlns='urn:xmpp:idle:1' since='1969-07-21T02:56:15Z'/></presence>
/// ```
public struct IdleTime: PresencePayload, Equatable {
    public static let name = XMLName("idle", "urn:xmpp:idle:1")

    public var since: Timestamp

    public init(since: Timestamp) { self.since = since }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let text = try element.required("since")
        guard let since = Timestamp(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("since", value: text))
        }
        self.since = since
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("since", since.description)
        writer.end()
    }
}
