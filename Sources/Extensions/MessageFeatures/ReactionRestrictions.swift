public import DataForms
internal import MessagePayloads

/// What a room or a gateway accepts as reactions to a message (XEP-0444 Message Reactions §2.2), as it announces it in the results of
/// service discovery.
///
///     S: <x xmlns='jabber:x:data' type='result'>
///          <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:reactions:0:restrictions</value></field>
///          <field var='max_reactions_per_user'><value>1</value></field>
///          <field var='allowlist'><value>💘</value><value>💜</value></field></x>
///
/// A message with other reactions comes back with the error `not-acceptable`.
public struct ReactionRestrictions: Sendable, Hashable {
    static let formType = MessageReactions.name.namespace + ":restrictions"

    /// The maximum number of reactions of one person to one message; `nil` for any number.
    public var maximumPerUser: Int?
    /// The accepted emoji, in the form of `MessageReactions.qualified(_:)` and in the order of the announcement; `nil` for all.
    public var allowed: [String]?

    public init(maximumPerUser: Int? = nil, allowed: [String]? = nil) {
        self.maximumPerUser = maximumPerUser
        self.allowed = allowed.map { MessageReactions($0, to: "").reactions }
    }

    /// Reads them from the forms of an entity; `nil` if it announces none.
    public init?(_ forms: [DataForm]) {
        guard let form = forms.first(where: { $0.formType == Self.formType }) else { return nil }
        let maximum = form["max_reactions_per_user"]?.values.first.flatMap { Int($0) }
        self.init(maximumPerUser: maximum.map { max(0, $0) }, allowed: form["allowlist"]?.values)
        if maximumPerUser == nil, allowed == nil { return nil }
    }

    /// Whether a person can react with this emoji.
    public func accepts(_ emoji: String) -> Bool {
        maximumPerUser != 0 && allowed?.contains(MessageReactions.qualified(emoji)) ?? true
    }

    /// The reactions of a person after adding one: those that are not accepted are left out, and of the others the earlier ones that
    /// are too many.
    ///
    /// - Returns: `nil` if the emoji is not accepted.
    public func adding(_ emoji: String, to own: [String]) -> [String]? {
        guard accepts(emoji) else { return nil }
        let emoji = MessageReactions.qualified(emoji)
        let kept = accepted(of: own).filter { $0 != emoji }
        return kept.suffix(max(0, (maximumPerUser ?? .max) - 1)) + [emoji]
    }

    /// Those that may still be sent.
    public func accepted(of own: [String]) -> [String] {
        Array(own.map(MessageReactions.qualified).filter(accepts).suffix(maximumPerUser ?? .max))
    }
}
