public import XMLStreaming

/// What the values of a field must be, beyond its kind (XEP-0122 Data Forms Validation).
///
/// ```
/// <field var='evt.date' type='text-single' label='Event Date/Time'>
///   <validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:date'>
///     <range min='2003-10-05' max='2003-10-24'/></validate></field>
/// ```
public struct DataFormValidation: XMLPayload, Hashable {
    /// How values are compared with the datatype (§3.2).
    public enum Method: Sendable, Hashable {
        /// Only the datatype counts.
        case basic
        /// A list also takes values that are not among its options.
        case open
        /// Between two values of the datatype.
        case range(minimum: String?, maximum: String?)
        /// A POSIX extended regular expression. ``permits(_:)`` does not evaluate it, because the evaluation of
        /// a received expression can take any amount of time.
        case regularExpression(String)
    }

    public static let name = XMLName("validate", "http://jabber.org/protocol/xdata-validate")

    /// A type of XML Schema such as `xs:integer`, or one of the XMPP Registrar.
    public var datatype: String
    public var method: Method
    /// How many values a list takes (§3.3).
    public var minimumCount: Int?
    public var maximumCount: Int?

    public init(
        datatype: String = "xs:string", method: Method = .basic, minimumCount: Int? = nil, maximumCount: Int? = nil
    ) {
        self.datatype = datatype
        self.method = method
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
    }

    /// Whether a list takes values that are not among its options: all methods but ``Method/basic`` (§3.2).
    public var isOpen: Bool { method != .basic }

    /// Whether a value has the datatype and is in the range. Datatypes without a rule here take every value.
    public func permits(_ value: String) -> Bool {
        guard let rule = DataFormDatatype(datatype) else { return true }
        guard rule.accepts(value) else { return false }
        guard case .range(let minimum, let maximum) = method else { return true }
        if let minimum, rule.isOrdered(value, minimum) == true { return false }
        if let maximum, rule.isOrdered(maximum, value) == true { return false }
        return true
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(datatype: element["datatype"] ?? "xs:string")
        for child in element.children where child.name.namespace == Self.name.namespace {
            switch child.name.local {
            case "basic": method = .basic
            case "open": method = .open
            case "range": method = .range(minimum: child["min"], maximum: child["max"])
            case "regex": method = .regularExpression(child.text)
            case "list-range":
                minimumCount = child["min"].flatMap { Int($0) }
                maximumCount = child["max"].flatMap { Int($0) }
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        writer.attribute("datatype", datatype)
        switch method {
        case .basic: writer.element(XMLName("basic", namespace), text: "")
        case .open: writer.element(XMLName("open", namespace), text: "")
        case .range(let minimum, let maximum):
            writer.start(XMLName("range", namespace))
            writer.attribute("min", minimum)
            writer.attribute("max", maximum)
            writer.end()
        case .regularExpression(let expression): writer.element(XMLName("regex", namespace), text: expression)
        }
        if minimumCount != nil || maximumCount != nil {
            writer.start(XMLName("list-range", namespace))
            writer.attribute("min", minimumCount.map(String.init))
            writer.attribute("max", maximumCount.map(String.init))
            writer.end()
        }
        writer.end()
    }
}

/// The datatypes of XML Schema that forms use, and how their values are written and ordered (XML Schema Part 2 §3).
enum DataFormDatatype {
    case boolean, decimal, float, date, time, dateTime, language
    case integer(ClosedRange<Int64>)

    init?(_ name: String) {
        switch name {
        case "xs:boolean": self = .boolean
        case "xs:decimal": self = .decimal
        case "xs:double", "xs:float": self = .float
        case "xs:date": self = .date
        case "xs:time": self = .time
        case "xs:dateTime": self = .dateTime
        case "xs:language": self = .language
        case "xs:integer", "xs:long": self = .integer(Int64.min...Int64.max)
        case "xs:int": self = .integer(Int64(Int32.min)...Int64(Int32.max))
        case "xs:short": self = .integer(Int64(Int16.min)...Int64(Int16.max))
        case "xs:byte": self = .integer(Int64(Int8.min)...Int64(Int8.max))
        case "xs:unsignedInt": self = .integer(0...Int64(UInt32.max))
        case "xs:unsignedShort": self = .integer(0...Int64(UInt16.max))
        case "xs:unsignedByte": self = .integer(0...Int64(UInt8.max))
        case "xs:nonNegativeInteger", "xs:unsignedLong": self = .integer(0...Int64.max)
        case "xs:positiveInteger": self = .integer(1...Int64.max)
        case "xs:nonPositiveInteger": self = .integer(Int64.min...0)
        case "xs:negativeInteger": self = .integer(Int64.min...(-1))
        default: return nil
        }
    }

    func accepts(_ value: String) -> Bool {
        switch self {
        case .boolean: ["true", "false", "1", "0"].contains(value)
        case .integer(let range): Int64(value).map(range.contains) ?? false
        case .decimal: !value.isEmpty && value.allSatisfy { "+-.0123456789".contains($0) } && Double(value) != nil
        case .float: Double(value) != nil || ["INF", "-INF", "NaN"].contains(value)
        case .date: value.wholeMatch(of: /-?[0-9]{4,9}-[0-9]{2}-[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})?/) != nil
        case .time: value.wholeMatch(of: /[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?/) != nil
        case .dateTime:
            value.wholeMatch(
                of:
                    /-?[0-9]{4,9}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?/
            ) != nil
        case .language: value.wholeMatch(of: /[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,8}/) != nil
        }
    }

    /// Whether `left` comes before `right`; `nil` if that is not known.
    func isOrdered(_ left: String, _ right: String) -> Bool? {
        switch self {
        case .integer:
            guard let left = Int64(left), let right = Int64(right) else { return nil }
            return left < right
        case .decimal, .float:
            guard let left = Double(left), let right = Double(right) else { return nil }
            return left < right
        case .date:
            // Without a time zone the text of years with four digits has the order of time.
            guard left.utf8.count == 10, right.utf8.count == 10 else { return nil }
            return left < right
        case .dateTime, .time, .boolean, .language: return nil
        }
    }
}

extension DataFormField {
    /// What the values must be; `nil` if only the kind counts.
    public var validation: DataFormValidation? {
        get {
            extensions.first { $0.isNamed(DataFormValidation.name) }.flatMap { try? DataFormValidation(from: $0) }
        }
        set {
            extensions.removeAll { $0.isNamed(DataFormValidation.name) }
            if let newValue { extensions.append(XMLElement(newValue)) }
        }
    }
}
