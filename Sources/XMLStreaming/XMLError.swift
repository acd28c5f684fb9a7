/// Why a parser refused its input.
///
/// A parser that has thrown stays failed: every later call throws the same error.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable, CaseIterable {
        /// Breaks the grammar of XML 1.0.
        case notWellFormed
        /// Well-formed XML that XMPP forbids: comment, processing instruction, DTD, foreign entity (RFC 6120 §11.1).
        case restrictedXML
        /// Bytes that are not UTF-8 (RFC 6120 §11.6).
        case invalidUTF8
        /// A code point that XML 1.0 §2.2 does not allow, literally or as a reference.
        case invalidCharacter
        /// An encoding other than UTF-8 is declared (RFC 6120 §11.6).
        case unsupportedEncoding
        /// An end tag does not match the open element.
        case mismatchedEndTag
        /// Two attributes of one start tag have the same name as written.
        case duplicateAttribute
        /// Two attributes of one start tag have the same name after expansion (Namespaces in XML 1.0 §6.3).
        case duplicateExpandedName
        /// A prefix that no declaration in scope binds.
        case unboundPrefix
        /// A namespace declaration that Namespaces in XML 1.0 forbids, such as one for the prefix `xmlns`.
        ///
        /// A declaration of the `xml` namespace is accepted: servers write `<xml:a/>` with one.
        case invalidNamespaceDeclaration
        /// Text other than whitespace where only elements are allowed: between stanzas, before or after the root.
        case textOutsideElement
        /// ``XMLLimits/depth`` is exceeded.
        case tooDeep
        /// ``XMLLimits/elementBytes`` is exceeded.
        case elementTooLarge
        /// ``XMLLimits/attributesPerElement`` is exceeded.
        case tooManyAttributes
        /// ``XMLLimits/nameBytes`` is exceeded.
        case nameTooLong
        /// ``XMLLimits/namespaceBindings`` is exceeded.
        case tooManyNamespaces
        /// ``XMLLimits/namespaceBytes`` is exceeded.
        case namespaceTooLong
        /// A stand-alone document ended before its root element did.
        case incompleteDocument
    }

    public var code: Code
    /// Bytes from the start of the stream, or from its last restart, to the error.
    public var offset: Int

    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    public var description: String { "\(message) (byte \(offset))" }

    /// The stream error condition to send for it (RFC 6120 §4.9.3).
    public var streamErrorCondition: String {
        switch code {
        case .restrictedXML: "restricted-xml"
        case .unsupportedEncoding: "unsupported-encoding"
        case .unboundPrefix: "bad-namespace-prefix"
        case .tooDeep, .elementTooLarge, .tooManyAttributes, .nameTooLong, .tooManyNamespaces, .namespaceTooLong:
            "policy-violation"
        default: "not-well-formed"
        }
    }

    /// Whether the element is still well-formed XML, so that parsing can continue after its end.
    var leavesElementWellFormed: Bool {
        switch code {
        case .tooDeep, .elementTooLarge, .tooManyAttributes, .nameTooLong, .tooManyNamespaces, .namespaceTooLong,
            .duplicateExpandedName, .unboundPrefix, .invalidNamespaceDeclaration:
            true
        case .notWellFormed, .restrictedXML, .invalidUTF8, .invalidCharacter, .unsupportedEncoding, .mismatchedEndTag,
            .duplicateAttribute, .textOutsideElement, .incompleteDocument:
            false
        }
    }

    private var message: String {
        switch code {
        case .notWellFormed: "The data is not well-formed XML."
        case .restrictedXML:
            "The data uses XML that XMPP forbids: a comment, a processing instruction, a DTD or an entity."
        case .invalidUTF8: "The data is not valid UTF-8."
        case .invalidCharacter: "The data contains a character that XML does not allow."
        case .unsupportedEncoding: "The data declares an encoding other than UTF-8."
        case .mismatchedEndTag: "An end tag does not match the open element."
        case .duplicateAttribute: "An element has the same attribute twice."
        case .duplicateExpandedName: "An element has two attributes with the same name in the same namespace."
        case .unboundPrefix: "A namespace prefix is not declared."
        case .invalidNamespaceDeclaration: "A namespace declaration is not allowed."
        case .textOutsideElement: "There is text where only elements may stand."
        case .tooDeep: "Elements are nested deeper than the limit."
        case .elementTooLarge: "An element is larger than the limit."
        case .tooManyAttributes: "An element has more attributes than the limit."
        case .nameTooLong: "A name is longer than the limit."
        case .tooManyNamespaces: "More namespace prefixes are bound than the limit."
        case .namespaceTooLong: "A namespace is longer than the limit."
        case .incompleteDocument: "The document ends before its root element does."
        }
    }
}
