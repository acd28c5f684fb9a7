/// Unicode properties that RFC 5892, RFC 5893 and RFC 8264 ask for and `Unicode.Scalar.Properties` does not give.
///
/// The tables are those of the Unicode Character Database 18.0.0, written by `Scripts/unicode-tables`. Every entry packs an
/// inclusive range as `first << 24 | last`, ascending. Code points that no address part may contain at all are left to
/// either side, which keeps the tables short: ask only about code points that have passed their class.
///
/// Categories and combining classes come from the standard library, whose Unicode version is that of the toolchain
/// (17.0 in Swift 6.3). It may be older than the tables: unknown characters are unassigned and therefore refused, and
/// Unicode never composes two code points of a version into one of a later version. It must not be newer, or the tables
/// would classify a new right-to-left letter as left-to-right; a test fails when the tables must be generated again.
enum UnicodeTables {
    /// Bidi_Class R, where the general category does not tell it.
    static let rightToLeft: [UInt64] = [
        0x0005D0_0005F4, 0x0007C0_0007EA, 0x0007F4_0007FA, 0x000800_000815,
        0x00081A_00081A, 0x000824_000824, 0x000828_000828, 0x000840_000858,
        0x00FB1D_00FB1D, 0x00FB1F_00FB4F, 0x010800_010A00, 0x010A10_010A35,
        0x010A60_010AE4, 0x010B00_010CF2, 0x010D4A_010D65, 0x010D6F_010EA9,
        0x010EB0_010EB1, 0x010F00_010F27, 0x010F70_010F81, 0x010FB0_010FF6,
        0x01E800_01E8C4, 0x01E900_01E943, 0x01E94B_01E959,
    ]

    /// Bidi_Class AL, where the general category does not tell it.
    static let arabicLetter: [UInt64] = [
        0x000620_00064A, 0x00066E_00066F, 0x000671_0006D5, 0x0006E5_0006E6,
        0x0006EE_0006EF, 0x0006FA_000710, 0x000712_00072F, 0x00074D_0007A5,
        0x0007B1_0007B1, 0x000860_00088F, 0x0008A0_0008C9, 0x00FB50_00FDFB,
        0x00FE70_00FEFC, 0x010D00_010D23, 0x010EC2_010EC7, 0x010ED9_010EEE,
        0x010F30_010F45, 0x01EE00_01EEBB,
    ]

    /// Bidi_Class AN, where the general category does not tell it.
    static let arabicNumber: [UInt64] = [
        0x000660_000669, 0x010D30_010D49,
    ]

    /// Bidi_Class EN, where the general category does not tell it.
    static let europeanNumber: [UInt64] = [
        0x0006F0_0006F9, 0x00FF10_00FF19, 0x01CCF0_01CCF9, 0x01D7CE_01D7FF,
        0x01FBF0_01FBF9,
    ]

    /// Bidi_Class ON, where the general category does not tell it.
    static let otherNeutral: [UInt64] = [
        0x0000B7_0000B7, 0x0002B9_0002BA, 0x0002C6_0002CF, 0x0002EC_0002EC,
        0x000374_000375, 0x00208F_00208F, 0x002E2F_002E2F, 0x0030FB_0030FB,
        0x00A67F_00A67F, 0x00A717_00A71F, 0x00A788_00A788,
    ]

    /// Bidi_Class BN, where the general category does not tell it.
    static let boundaryNeutral: [UInt64] = [
        0x00200C_00200D
    ]

    /// Bidi_Class L, where the general category does not tell it.
    static let leftToRight: [UInt64] = [
        0x000CBF_000CBF, 0x000CC6_000CC6, 0x001B3A_001B3A, 0x001B3C_001B3C,
        0x001B42_001B42, 0x011A07_011A08, 0x011C3F_011C3F,
    ]

    /// Joining_Type D (RFC 5892 Appendix A.1).
    static let dualJoining: [UInt64] = [
        0x000620_000620, 0x000626_000626, 0x000628_000628, 0x00062A_00062E,
        0x000633_00063F, 0x000641_000647, 0x000649_00064A, 0x00066E_00066F,
        0x000678_000687, 0x00069A_0006BF, 0x0006C1_0006C2, 0x0006CC_0006CC,
        0x0006CE_0006CE, 0x0006D0_0006D1, 0x0006FA_0006FC, 0x0006FF_0006FF,
        0x000712_000714, 0x00071A_00071D, 0x00071F_000727, 0x000729_000729,
        0x00072B_00072B, 0x00072D_00072E, 0x00074E_000758, 0x00075C_00076A,
        0x00076D_000770, 0x000772_000772, 0x000775_000777, 0x00077A_00077F,
        0x0007CA_0007EA, 0x000841_000845, 0x000848_000848, 0x00084A_000853,
        0x000855_000855, 0x000860_000860, 0x000862_000865, 0x000868_000868,
        0x000886_000886, 0x000889_00088D, 0x00088F_00088F, 0x0008A0_0008A9,
        0x0008AF_0008B0, 0x0008B3_0008B8, 0x0008BA_0008C8, 0x001807_001807,
        0x001820_001878, 0x001887_0018A8, 0x0018AA_0018AA, 0x00A840_00A871,
        0x010AC0_010AC4, 0x010AD3_010AD6, 0x010AD8_010ADC, 0x010ADE_010AE0,
        0x010AEB_010AEE, 0x010B80_010B80, 0x010B82_010B82, 0x010B86_010B88,
        0x010B8A_010B8B, 0x010B8D_010B8D, 0x010B90_010B90, 0x010BAD_010BAE,
        0x010D01_010D21, 0x010D23_010D23, 0x010EC3_010EC4, 0x010EC6_010EC7,
        0x010F30_010F32, 0x010F34_010F44, 0x010F51_010F53, 0x010F70_010F73,
        0x010F76_010F81, 0x010FB0_010FB0, 0x010FB2_010FB3, 0x010FB8_010FB8,
        0x010FBB_010FBC, 0x010FBE_010FBF, 0x010FC1_010FC1, 0x010FC4_010FC4,
        0x010FCA_010FCA, 0x01E900_01E943,
    ]

    /// Joining_Type L (RFC 5892 Appendix A.1).
    static let leftJoining: [UInt64] = [
        0x00A872_00A872, 0x010ACD_010ACD, 0x010AD7_010AD7, 0x010D00_010D00,
        0x010ED9_010EEE, 0x010FCB_010FCB,
    ]

    /// Joining_Type R (RFC 5892 Appendix A.1).
    static let rightJoining: [UInt64] = [
        0x000622_000625, 0x000627_000627, 0x000629_000629, 0x00062F_000632,
        0x000648_000648, 0x000671_000673, 0x000675_000677, 0x000688_000699,
        0x0006C0_0006C0, 0x0006C3_0006CB, 0x0006CD_0006CD, 0x0006CF_0006CF,
        0x0006D2_0006D3, 0x0006D5_0006D5, 0x0006EE_0006EF, 0x000710_000710,
        0x000715_000719, 0x00071E_00071E, 0x000728_000728, 0x00072A_00072A,
        0x00072C_00072C, 0x00072F_00072F, 0x00074D_00074D, 0x000759_00075B,
        0x00076B_00076C, 0x000771_000771, 0x000773_000774, 0x000778_000779,
        0x000840_000840, 0x000846_000847, 0x000849_000849, 0x000854_000854,
        0x000856_000858, 0x000867_000867, 0x000869_000882, 0x00088E_00088E,
        0x0008AA_0008AC, 0x0008AE_0008AE, 0x0008B1_0008B2, 0x0008B9_0008B9,
        0x010AC5_010AC5, 0x010AC7_010AC7, 0x010AC9_010ACA, 0x010ACE_010AD2,
        0x010ADD_010ADD, 0x010AE1_010AE1, 0x010AE4_010AE4, 0x010AEF_010AEF,
        0x010B81_010B81, 0x010B83_010B85, 0x010B89_010B89, 0x010B8C_010B8C,
        0x010B8E_010B8F, 0x010B91_010B91, 0x010BA9_010BAC, 0x010D22_010D22,
        0x010EC2_010EC2, 0x010F33_010F33, 0x010F54_010F54, 0x010F74_010F75,
        0x010FB4_010FB6, 0x010FB9_010FBA, 0x010FBD_010FBD, 0x010FC2_010FC3,
        0x010FC9_010FC9,
    ]

    /// Script Greek (RFC 5892 Appendix A.4).
    static let greek: [UInt64] = [
        0x000370_000373, 0x000375_00037D, 0x00037F_000384, 0x000386_000386,
        0x000388_0003E1, 0x0003F0_0003FF, 0x001D26_001D2A, 0x001D5D_001D61,
        0x001D66_001D6A, 0x001DBF_001DBF, 0x001F00_001FFE, 0x002126_002126,
        0x00AB65_00AB65, 0x010140_01018E, 0x0101A0_0101A0, 0x01D200_01D245,
        0x01DFF3_01DFF4,
    ]

    /// Script Hebrew (RFC 5892 Appendix A.5, A.6).
    static let hebrew: [UInt64] = [
        0x000591_0005F4, 0x00FB1D_00FB4F,
    ]

    /// Scripts Hiragana, Katakana and Han (RFC 5892 Appendix A.7).
    static let kanaOrHan: [UInt64] = [
        0x002E80_002FD5, 0x003005_003005, 0x003007_003007, 0x003021_003029,
        0x003038_00303B, 0x003041_003096, 0x00309D_00309F, 0x0030A1_0030FA,
        0x0030FD_0030FF, 0x0031F0_0031FF, 0x0032D0_0032FE, 0x003300_003357,
        0x003400_004DBF, 0x004E00_009FFF, 0x00F900_00FAD9, 0x00FF66_00FF6F,
        0x00FF71_00FF9D, 0x016FE2_016FE3, 0x016FF0_016FF6, 0x01AFF0_01B168,
        0x01F200_01F200, 0x020000_033479,
    ]

    /// Letters, digits and marks that NFKC changes: HasCompat of RFC 8264 §9.17.
    static let compatibility: [UInt64] = [
        0x0000AA_0000BA, 0x000132_000133, 0x00013F_000140, 0x000149_000149,
        0x00017F_00017F, 0x0001C4_0001CC, 0x0001F1_0001F3, 0x0002B0_0002B8,
        0x0002E0_0002E4, 0x000340_000341, 0x000343_000344, 0x000374_000374,
        0x00037A_00037A, 0x0003D0_0003D6, 0x0003F0_0003F2, 0x0003F4_0003F5,
        0x0003F9_0003F9, 0x000558_000558, 0x000587_000587, 0x00058B_00058C,
        0x000675_000678, 0x000958_00095F, 0x0009DC_0009DF, 0x000A33_000A33,
        0x000A36_000A36, 0x000A59_000A5B, 0x000A5E_000A5E, 0x000B5C_000B5D,
        0x000E33_000E33, 0x000EB3_000EB3, 0x000EDC_000EDD, 0x000F43_000F43,
        0x000F4D_000F4D, 0x000F52_000F52, 0x000F57_000F57, 0x000F5C_000F5C,
        0x000F69_000F69, 0x000F73_000F73, 0x000F75_000F79, 0x000F81_000F81,
        0x000F93_000F93, 0x000F9D_000F9D, 0x000FA2_000FA2, 0x000FA7_000FA7,
        0x000FAC_000FAC, 0x000FB9_000FB9, 0x0010FC_0010FC, 0x001D2C_001D2E,
        0x001D30_001D3A, 0x001D3C_001D4D, 0x001D4F_001D6A, 0x001D78_001D78,
        0x001D9B_001DBF, 0x001E9A_001E9B, 0x001F71_001F71, 0x001F73_001F73,
        0x001F75_001F75, 0x001F77_001F77, 0x001F79_001F79, 0x001F7B_001F7B,
        0x001F7D_001F7D, 0x001FBB_001FBE, 0x001FC9_001FC9, 0x001FCB_001FCB,
        0x001FD3_001FD3, 0x001FDB_001FDB, 0x001FE3_001FE3, 0x001FEB_001FEB,
        0x001FF9_001FF9, 0x001FFB_00207F, 0x002090_00209F, 0x002102_002131,
        0x002133_002149, 0x002C7C_002C7D, 0x002D6F_002D6F, 0x00309F_00309F,
        0x0030FF_0030FF, 0x003131_00318E, 0x00A69C_00A69D, 0x00A770_00A770,
        0x00A7F1_00A7F4, 0x00A7F8_00A7F9, 0x00AB5C_00AB5F, 0x00AB69_00AB69,
        0x00F900_00FA0D, 0x00FA10_00FA10, 0x00FA12_00FA12, 0x00FA15_00FA1E,
        0x00FA20_00FA20, 0x00FA22_00FA22, 0x00FA25_00FA26, 0x00FA2A_00FB1D,
        0x00FB1F_00FDFB, 0x00FE70_00FE72, 0x00FE74_00FFDC, 0x010781_0107BF,
        0x01B123_01B126, 0x01CCF0_01CCF9, 0x01D400_01D7FF, 0x01DF95_01DF95,
        0x01DFCD_01DFFF, 0x01E030_01E06D, 0x01EE00_01FBF9, 0x02F800_02FA1D,
    ]

    /// Whether a packed, ascending table holds a code point.
    static func contains(_ scalar: Unicode.Scalar, in table: [UInt64]) -> Bool {
        let value = UInt64(scalar.value)
        var low = 0
        var high = table.count
        while low < high {
            let middle = (low + high) / 2
            let entry = table[middle]
            if value > entry & 0xFF_FFFF {
                low = middle + 1
            } else if value < entry >> 24 {
                high = middle
            } else {
                return true
            }
        }
        return false
    }
}
