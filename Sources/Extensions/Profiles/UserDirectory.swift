public import DataForms
public import XMLStreaming
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

/// A search in the directory of a server (XEP-0055 Jabber Search).
///
/// ```
/// C: <iq type='get' to='characters.shakespeare.lit'><query xmlns='jabber:iq:search'/></iq>
/// S: <iq type='result'><query xmlns='jabber:iq:search'><instructions>…</instructions><first/><last/><nick/><email/></query></iq>
/// ```
public struct DirectorySearch: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:search")
    /// The maximum number of results that are read.
    static let limit = 1000
    /// The usual questions of a directory without a form.
    private static let usualFields = ["first", "last", "nick", "email"]

    /// An account in the directory. All texts are claims of the account.
    public struct Entry: Sendable, Hashable {
        public var address: JID
        /// By the name of the field, such as `first`, `last`, `nick` and `email`.
        public var fields: [String: String]

        public init(address: JID, fields: [String: String] = [:]) {
            self.address = address
            self.fields = fields
        }
    }

    public var instructions: String?
    /// Questions or answers in the older form, by name.
    public var fields: [String: String]
    /// The form of the directory, or the one that is submitted.
    public var form: DataForm?
    public var entries: [Entry]

    public init(
        instructions: String? = nil, fields: [String: String] = [:], form: DataForm? = nil, entries: [Entry] = []
    ) {
        self.instructions = instructions
        self.fields = fields
        self.form = form
        self.entries = entries
    }

    /// Invalid entries are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(form: try element.decode(DataForm.self))
        for child in element.children where child.namespace == Self.name.namespace {
            switch child.localName {
            case "instructions": instructions = child.text
            case "item":
                guard entries.count < Self.limit, let address = (try? child.address("jid")) ?? nil else { continue }
                var entry = Entry(address: address)
                for field in Self.usualFields {
                    entry.fields[field] = child.firstChild(XMLName(field, Self.name.namespace))?.text
                }
                entries.append(entry)
            case let local where Self.usualFields.contains(local): fields[local] = child.text
            default: break
            }
        }
        // In a form the results are a table.
        for row in form?.rows.prefix(Self.limit) ?? [] {
            var values: [String: String] = [:]
            for field in row { if let name = field.name { values[name] = field.values.first } }
            guard let address = values["jid"].flatMap({ try? JID($0) }) else { continue }
            values["jid"] = nil
            entries.append(Entry(address: address, fields: values))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        if let instructions { writer.element(XMLName("instructions", Self.name.namespace), text: instructions) }
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            writer.element(XMLName(field, Self.name.namespace), text: value)
        }
        form?.encode(to: &writer)
        writer.end()
    }
}

extension DirectorySearch: IQResponse {}

/// Requests the questions of a directory (XEP-0055 Jabber Search §2.1).
public struct DirectorySearchRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = DirectorySearch
    public static let name = DirectorySearch.name

    public init() {}
}

/// Searches a directory (XEP-0055 Jabber Search §2.1).
public struct DirectorySearchSubmission: IQRequest, Equatable {
    /// The search as it is sent: its fields and its form.
    public var search: DirectorySearch

    /// The result; an empty one if nothing was found.
    public struct Response: IQResponse, Equatable {
        public var entries: [DirectorySearch.Entry]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            entries =
                try payload.map { element throws(XMLDecodingError) in try DirectorySearch(from: element).entries } ?? []
        }
    }

    public static let name = DirectorySearch.name
    public static let iqType = IQ.Kind.set

    public init(_ search: DirectorySearch) {
        self.search = search
    }

    public init(from element: XMLElement) throws(XMLDecodingError) { search = try DirectorySearch(from: element) }

    public func encode(to writer: inout XMLWriter) { search.encode(to: &writer) }
}

extension Profiles {
    /// The questions of a directory, at the address of a service with the feature `jabber:iq:search`.
    public func searchForm(of directory: JID) async throws(ProfileError) -> DirectorySearch {
        do throws(ClientError) {
            return try await session.request(DirectorySearchRequest(), to: directory)
        } catch {
            throw ProfileError(error)
        }
    }

    /// Searches a directory.
    ///
    /// - Parameter answers: values by the names of the fields in ``searchForm(of:)``.
    public func search(
        _ directory: JID, for answers: [String: String]
    ) async throws(ProfileError) -> [DirectorySearch.Entry] {
        let questions = try await searchForm(of: directory)
        let search =
            questions.form.map { DirectorySearch(form: $0.answered(with: answers.mapValues { [$0] })) }
            ?? DirectorySearch(fields: answers.filter { questions.fields[$0.key] != nil })
        do throws(ClientError) {
            return try await session.request(DirectorySearchSubmission(search), to: directory).entries
        } catch {
            throw ProfileError(error)
        }
    }
}
