import MessagePayloads
import Testing

@Suite("Timestamps of XEP-0082")
struct TimestampTests {
    @Test(
        "reads the DateTime profile",
        arguments: [
            ("1969-07-21T02:56:15Z", -14_159_025_000),
            ("1969-07-20T21:56:15-05:00", -14_159_025_000),
            ("1970-01-01T00:00:00Z", 0),
            ("2002-09-10T23:08:25Z", 1_031_699_305_000),
            ("2002-09-10T23:08:25.5Z", 1_031_699_305_500),
            ("2002-09-10T23:08:25.123456Z", 1_031_699_305_123),
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("2024-03-10T01:30:00+05:45", 1_710_013_500_000),
        ])
    func reads(text: String, milliseconds: Int) throws {
        #expect(Timestamp(text)?.millisecondsSince1970 == Int64(milliseconds))
    }

    @Test(
        "refuses everything else",
        arguments: [
            "", "2002", "2002-09-10", "20020910T23:08:25", "2002-09-10T23:08:25", "2002-13-10T23:08:25Z",
            "2002-02-29T23:08:25Z", "1900-02-29T00:00:00Z", "2002-09-10T24:00:00Z", "2002-09-10T23:60:00Z",
            "2002-09-10T23:08:61Z", "2002-09-10T23:08:25.Z", "2002-09-10T23:08:25Zx", "2002-09-10 23:08:25Z",
            "2002-09-10T23:08:25+24:00", "0000-01-01T00:00:00Z", "２００２-09-10T23:08:25Z",
        ])
    func refuses(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("writes what it reads, day by day through four centuries")
    func roundTrip() {
        for day in stride(from: Int64(-73_000), through: 73_000, by: 1) {
            let time = Timestamp(millisecondsSince1970: day * 86_400_000 + 43_200_123)
            #expect(Timestamp(time.description) == time)
        }
    }

    @Test("leaves out milliseconds that are zero")
    func form() {
        #expect(Timestamp(millisecondsSince1970: 1_031_699_305_000).description == "2002-09-10T23:08:25Z")
        #expect(Timestamp(millisecondsSince1970: 1_031_699_305_020).description == "2002-09-10T23:08:25.020Z")
    }
}
