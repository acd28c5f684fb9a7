/// The content of a certificate, for display.
public struct CertificateInformation: Sendable, Hashable, CustomStringConvertible {
    /// The subject as a distinguished name: `CN=xmpp.example,O=Example`.
    public var subject: String
    /// The issuer.
    public var issuer: String
    /// The host names, IP addresses, SRV-IDs and XMPP addresses of the certificate.
    public var names: [String]
    /// Seconds since 1970.
    public var notBefore: Int64
    /// Seconds since 1970.
    public var notAfter: Int64
    public var sha256Fingerprint: [UInt8]
    /// The certificate itself, DER.
    public var der: [UInt8]

    public init(
        subject: String, issuer: String, names: [String], notBefore: Int64, notAfter: Int64, sha256Fingerprint: [UInt8],
        der: [UInt8]
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.sha256Fingerprint = sha256Fingerprint
        self.der = der
    }

    /// `AB:CD:…`, the usual notation.
    public var fingerprintText: String {
        let digits = Array("0123456789ABCDEF")
        return sha256Fingerprint.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }

    /// The certificate in PEM format.
    public var pem: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var lines: [UInt8] = []
        var column = 0
        for start in stride(from: 0, to: der.count, by: 3) {
            let part = der[start..<min(start + 3, der.count)]
            var group = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            var quartet = [UInt8](repeating: UInt8(ascii: "="), count: 4)
            for index in 0...part.count { quartet[index] = alphabet[Int(group >> 18 & 63)]; group <<= 6 }
            lines += quartet
            column += 4
            if column == 64 { lines.append(UInt8(ascii: "\n")); column = 0 }
        }
        if column > 0 { lines.append(UInt8(ascii: "\n")) }
        return "-----BEGIN CERTIFICATE-----\n" + String(decoding: lines, as: UTF8.self) + "-----END CERTIFICATE-----\n"
    }

    public var description: String {
        "\(subject), issued by \(issuer), valid from \(calendarDate(notBefore)) to \(calendarDate(notAfter)), "
            + "for \(names.isEmpty ? "no name" : names.joined(separator: ", ")), SHA-256 \(fingerprintText)"
    }
}

extension Certificate {
    var information: CertificateInformation {
        CertificateInformation(
            subject: subject, issuer: issuer, names: names.map(\.text), notBefore: notBefore, notAfter: notAfter,
            sha256Fingerprint: sha256, der: der)
    }
}

/// The UTC date of a number of seconds since 1970: `2026-05-31`.
func calendarDate(_ seconds: Int64) -> String {
    // Days are counted from 1 March of year 0, so that the leap day is the last of the year.
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(twoDigits(month))-\(twoDigits(day))"
}
