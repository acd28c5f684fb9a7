/// The namespaces of XEP-0045 that more than one payload needs.
enum RoomNames {
    static let entrance = "http://jabber.org/protocol/muc"
    static let user = entrance + "#user"
    static let administration = entrance + "#admin"
    static let owner = entrance + "#owner"
    static let configuration = entrance + "#roomconfig"
    static let information = entrance + "#roominfo"
}
