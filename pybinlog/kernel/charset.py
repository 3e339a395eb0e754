# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Names of character sets and collations by number: those of MySQL 9.7, and the ranges MariaDB took for its own.

The numbers are fixed for good (they stand in binary logs and in .frm files); the names are those of
information_schema.COLLATIONS. A collation's name begins with its character set's.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.charset is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.cpython.ref import PyObject

MYSQL_COLLATIONS = (
    b"1:big5_chinese_ci 2:latin2_czech_cs 3:dec8_swedish_ci 4:cp850_general_ci 5:latin1_german1_ci 6:hp8_english_ci "
    b"7:koi8r_general_ci 8:latin1_swedish_ci 9:latin2_general_ci 10:swe7_swedish_ci 11:ascii_general_ci "
    b"12:ujis_japanese_ci 13:sjis_japanese_ci 14:cp1251_bulgarian_ci 15:latin1_danish_ci 16:hebrew_general_ci "
    b"18:tis620_thai_ci 19:euckr_korean_ci 20:latin7_estonian_cs 21:latin2_hungarian_ci 22:koi8u_general_ci "
    b"23:cp1251_ukrainian_ci 24:gb2312_chinese_ci 25:greek_general_ci 26:cp1250_general_ci 27:latin2_croatian_ci "
    b"28:gbk_chinese_ci 29:cp1257_lithuanian_ci 30:latin5_turkish_ci 31:latin1_german2_ci 32:armscii8_general_ci "
    b"33:utf8mb3_general_ci 34:cp1250_czech_cs 35:ucs2_general_ci 36:cp866_general_ci 37:keybcs2_general_ci "
    b"38:macce_general_ci 39:macroman_general_ci 40:cp852_general_ci 41:latin7_general_ci 42:latin7_general_cs "
    b"43:macce_bin 44:cp1250_croatian_ci 45:utf8mb4_general_ci 46:utf8mb4_bin 47:latin1_bin 48:latin1_general_ci "
    b"49:latin1_general_cs 50:cp1251_bin 51:cp1251_general_ci 52:cp1251_general_cs 53:macroman_bin 54:utf16_general_ci "
    b"55:utf16_bin 56:utf16le_general_ci 57:cp1256_general_ci 58:cp1257_bin 59:cp1257_general_ci 60:utf32_general_ci "
    b"61:utf32_bin 62:utf16le_bin 63:binary 64:armscii8_bin 65:ascii_bin 66:cp1250_bin 67:cp1256_bin 68:cp866_bin "
    b"69:dec8_bin 70:greek_bin 71:hebrew_bin 72:hp8_bin 73:keybcs2_bin 74:koi8r_bin 75:koi8u_bin 76:utf8mb3_tolower_ci "
    b"77:latin2_bin 78:latin5_bin 79:latin7_bin 80:cp850_bin 81:cp852_bin 82:swe7_bin 83:utf8mb3_bin 84:big5_bin "
    b"85:euckr_bin 86:gb2312_bin 87:gbk_bin 88:sjis_bin 89:tis620_bin 90:ucs2_bin 91:ujis_bin 92:geostd8_general_ci "
    b"93:geostd8_bin 94:latin1_spanish_ci 95:cp932_japanese_ci 96:cp932_bin 97:eucjpms_japanese_ci 98:eucjpms_bin "
    b"99:cp1250_polish_ci 101:utf16_unicode_ci 102:utf16_icelandic_ci 103:utf16_latvian_ci 104:utf16_romanian_ci "
    b"105:utf16_slovenian_ci 106:utf16_polish_ci 107:utf16_estonian_ci 108:utf16_spanish_ci 109:utf16_swedish_ci "
    b"110:utf16_turkish_ci 111:utf16_czech_ci 112:utf16_danish_ci 113:utf16_lithuanian_ci 114:utf16_slovak_ci "
    b"115:utf16_spanish2_ci 116:utf16_roman_ci 117:utf16_persian_ci 118:utf16_esperanto_ci 119:utf16_hungarian_ci "
    b"120:utf16_sinhala_ci 121:utf16_german2_ci 122:utf16_croatian_ci 123:utf16_unicode_520_ci 124:utf16_vietnamese_ci "
    b"128:ucs2_unicode_ci 129:ucs2_icelandic_ci 130:ucs2_latvian_ci 131:ucs2_romanian_ci 132:ucs2_slovenian_ci "
    b"133:ucs2_polish_ci 134:ucs2_estonian_ci 135:ucs2_spanish_ci 136:ucs2_swedish_ci 137:ucs2_turkish_ci "
    b"138:ucs2_czech_ci 139:ucs2_danish_ci 140:ucs2_lithuanian_ci 141:ucs2_slovak_ci 142:ucs2_spanish2_ci "
    b"143:ucs2_roman_ci 144:ucs2_persian_ci 145:ucs2_esperanto_ci 146:ucs2_hungarian_ci 147:ucs2_sinhala_ci "
    b"148:ucs2_german2_ci 149:ucs2_croatian_ci 150:ucs2_unicode_520_ci 151:ucs2_vietnamese_ci "
    b"159:ucs2_general_mysql500_ci 160:utf32_unicode_ci 161:utf32_icelandic_ci 162:utf32_latvian_ci "
    b"163:utf32_romanian_ci 164:utf32_slovenian_ci 165:utf32_polish_ci 166:utf32_estonian_ci 167:utf32_spanish_ci "
    b"168:utf32_swedish_ci 169:utf32_turkish_ci 170:utf32_czech_ci 171:utf32_danish_ci 172:utf32_lithuanian_ci "
    b"173:utf32_slovak_ci 174:utf32_spanish2_ci 175:utf32_roman_ci 176:utf32_persian_ci 177:utf32_esperanto_ci "
    b"178:utf32_hungarian_ci 179:utf32_sinhala_ci 180:utf32_german2_ci 181:utf32_croatian_ci 182:utf32_unicode_520_ci "
    b"183:utf32_vietnamese_ci 192:utf8mb3_unicode_ci 193:utf8mb3_icelandic_ci 194:utf8mb3_latvian_ci "
    b"195:utf8mb3_romanian_ci 196:utf8mb3_slovenian_ci 197:utf8mb3_polish_ci 198:utf8mb3_estonian_ci "
    b"199:utf8mb3_spanish_ci 200:utf8mb3_swedish_ci 201:utf8mb3_turkish_ci 202:utf8mb3_czech_ci 203:utf8mb3_danish_ci "
    b"204:utf8mb3_lithuanian_ci 205:utf8mb3_slovak_ci 206:utf8mb3_spanish2_ci 207:utf8mb3_roman_ci "
    b"208:utf8mb3_persian_ci 209:utf8mb3_esperanto_ci 210:utf8mb3_hungarian_ci 211:utf8mb3_sinhala_ci "
    b"212:utf8mb3_german2_ci 213:utf8mb3_croatian_ci 214:utf8mb3_unicode_520_ci 215:utf8mb3_vietnamese_ci "
    b"223:utf8mb3_general_mysql500_ci 224:utf8mb4_unicode_ci 225:utf8mb4_icelandic_ci 226:utf8mb4_latvian_ci "
    b"227:utf8mb4_romanian_ci 228:utf8mb4_slovenian_ci 229:utf8mb4_polish_ci 230:utf8mb4_estonian_ci "
    b"231:utf8mb4_spanish_ci 232:utf8mb4_swedish_ci 233:utf8mb4_turkish_ci 234:utf8mb4_czech_ci 235:utf8mb4_danish_ci "
    b"236:utf8mb4_lithuanian_ci 237:utf8mb4_slovak_ci 238:utf8mb4_spanish2_ci 239:utf8mb4_roman_ci "
    b"240:utf8mb4_persian_ci 241:utf8mb4_esperanto_ci 242:utf8mb4_hungarian_ci 243:utf8mb4_sinhala_ci "
    b"244:utf8mb4_german2_ci 245:utf8mb4_croatian_ci 246:utf8mb4_unicode_520_ci 247:utf8mb4_vietnamese_ci "
    b"248:gb18030_chinese_ci 249:gb18030_bin 250:gb18030_unicode_520_ci 255:utf8mb4_0900_ai_ci "
    b"256:utf8mb4_de_pb_0900_ai_ci 257:utf8mb4_is_0900_ai_ci 258:utf8mb4_lv_0900_ai_ci 259:utf8mb4_ro_0900_ai_ci "
    b"260:utf8mb4_sl_0900_ai_ci 261:utf8mb4_pl_0900_ai_ci 262:utf8mb4_et_0900_ai_ci 263:utf8mb4_es_0900_ai_ci "
    b"264:utf8mb4_sv_0900_ai_ci 265:utf8mb4_tr_0900_ai_ci 266:utf8mb4_cs_0900_ai_ci 267:utf8mb4_da_0900_ai_ci "
    b"268:utf8mb4_lt_0900_ai_ci 269:utf8mb4_sk_0900_ai_ci 270:utf8mb4_es_trad_0900_ai_ci 271:utf8mb4_la_0900_ai_ci "
    b"273:utf8mb4_eo_0900_ai_ci 274:utf8mb4_hu_0900_ai_ci 275:utf8mb4_hr_0900_ai_ci 277:utf8mb4_vi_0900_ai_ci "
    b"278:utf8mb4_0900_as_cs 279:utf8mb4_de_pb_0900_as_cs 280:utf8mb4_is_0900_as_cs 281:utf8mb4_lv_0900_as_cs "
    b"282:utf8mb4_ro_0900_as_cs 283:utf8mb4_sl_0900_as_cs 284:utf8mb4_pl_0900_as_cs 285:utf8mb4_et_0900_as_cs "
    b"286:utf8mb4_es_0900_as_cs 287:utf8mb4_sv_0900_as_cs 288:utf8mb4_tr_0900_as_cs 289:utf8mb4_cs_0900_as_cs "
    b"290:utf8mb4_da_0900_as_cs 291:utf8mb4_lt_0900_as_cs 292:utf8mb4_sk_0900_as_cs 293:utf8mb4_es_trad_0900_as_cs "
    b"294:utf8mb4_la_0900_as_cs 296:utf8mb4_eo_0900_as_cs 297:utf8mb4_hu_0900_as_cs 298:utf8mb4_hr_0900_as_cs "
    b"300:utf8mb4_vi_0900_as_cs 303:utf8mb4_ja_0900_as_cs 304:utf8mb4_ja_0900_as_cs_ks 305:utf8mb4_0900_as_ci "
    b"306:utf8mb4_ru_0900_ai_ci 307:utf8mb4_ru_0900_as_cs 308:utf8mb4_zh_0900_as_cs 309:utf8mb4_0900_bin "
    b"310:utf8mb4_nb_0900_ai_ci 311:utf8mb4_nb_0900_as_cs 312:utf8mb4_nn_0900_ai_ci 313:utf8mb4_nn_0900_as_cs "
    b"314:utf8mb4_sr_latn_0900_ai_ci 315:utf8mb4_sr_latn_0900_as_cs 316:utf8mb4_bs_0900_ai_ci "
    b"317:utf8mb4_bs_0900_as_cs 318:utf8mb4_bg_0900_ai_ci 319:utf8mb4_bg_0900_as_cs 320:utf8mb4_gl_0900_ai_ci "
    b"321:utf8mb4_gl_0900_as_cs 322:utf8mb4_mn_cyrl_0900_ai_ci 323:utf8mb4_mn_cyrl_0900_as_cs "
)

# MariaDB 10.10 and later number their UCA 14.0.0 collations from these on, 256 for each character set.
MARIADB_RANGES = ((2048, b"utf8mb3"), (2304, b"utf8mb4"), (2560, b"ucs2"), (2816, b"utf16"), (3072, b"utf32"))

LIMIT = cython.declare(cython.uint, 4096)
CHARSETS = cython.declare(cython.p_const_char[4096])
COLLATIONS = cython.declare(cython.p_const_char[4096])
kept: list = []  # the bytes objects that the tables point into


def fill() -> None:
    name: bytes
    charset: bytes
    number: cython.int
    i: cython.int
    charsets: dict = {}
    for entry in MYSQL_COLLATIONS.split():
        digits, name = entry.split(b":")
        charset = name.partition(b"_")[0]
        charset = charsets.setdefault(charset, charset)
        kept.append(name)
        number = int(digits)
        CHARSETS[number] = charset
        COLLATIONS[number] = name
    for first, charset in MARIADB_RANGES:
        charset = charsets.setdefault(charset, charset)
        number = first
        for i in range(number, number + 256):
            CHARSETS[i] = charset
    kept.append(charsets)


fill()


def charset_name(collation):
    return CHARSETS[collation] if collation < LIMIT else cython.NULL


def collation_name(collation):
    return COLLATIONS[collation] if collation < LIMIT else cython.NULL
