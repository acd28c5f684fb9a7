/// A public provider where anybody can create an account in the program.
///
/// Source: the list of the project XMPP Providers (https://providers.xmpp.net, CC0), as of 2026-07-10. Chosen are those of
/// its category A with registration in the program, rules that can be read, and several years of service. Check the list at
/// each release.
public struct KnownProvider: Sendable, Hashable, Identifiable {
    public let domain: String
    /// Where its servers are, as ISO 3166-1 codes.
    public let countries: [String]
    /// The year in which its service began.
    public let since: Int
    /// The web page with its rules.
    public let rules: String

    public var id: String { domain }

    /// The oldest first.
    public static let all = [
        KnownProvider(domain: "jabber.fr", countries: ["FR"], since: 2004, rules: "https://jabberfr.org/legal.php"),
        KnownProvider(domain: "hookipa.net", countries: ["DE"], since: 2008, rules: "https://hookipa.net/impressum/"),
        KnownProvider(domain: "yax.im", countries: ["DE"], since: 2013, rules: "https://yaxim.org/yax.im/tos/"),
        KnownProvider(
            domain: "chatterboxtown.us", countries: ["US"], since: 2020, rules: "https://chatterboxtown.us/#policy"),
        KnownProvider(
            domain: "chalec.org", countries: ["FR"], since: 2022, rules: "https://www.chalec.org/mentions-legales.html"),
        KnownProvider(
            domain: "projectsegfau.lt", countries: ["IN", "CH"], since: 2023, rules: "https://projectsegfau.lt/legal"),
    ]
}
