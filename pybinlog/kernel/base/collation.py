# distutils: extra_compile_args = -O1
"""The collations that MySQL 9.7 and MariaDB 11.8 have compiled in, by the numbers that events give."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import strcat, strcpy

# A line for each character set (those that begin with a space continue it): its name, the most bytes a character
# takes, and its collations as number:name, the name without the character set's.
TABLE = """
armscii8 1 32:general_ci 64:bin
ascii 1 11:general_ci 65:bin
big5 2 1:chinese_ci 84:bin
binary 1 63:
cp1250 1 26:general_ci 34:czech_cs 44:croatian_ci 66:bin 99:polish_ci
cp1251 1 14:bulgarian_ci 23:ukrainian_ci 50:bin 51:general_ci 52:general_cs
cp1256 1 57:general_ci 67:bin
cp1257 1 29:lithuanian_ci 58:bin 59:general_ci
cp850 1 4:general_ci 80:bin
cp852 1 40:general_ci 81:bin
cp866 1 36:general_ci 68:bin
cp932 2 95:japanese_ci 96:bin
dec8 1 3:swedish_ci 69:bin
eucjpms 3 97:japanese_ci 98:bin
euckr 2 19:korean_ci 85:bin
gb18030 4 248:chinese_ci 249:bin 250:unicode_520_ci
gb2312 2 24:chinese_ci 86:bin
gbk 2 28:chinese_ci 87:bin
geostd8 1 92:general_ci 93:bin
greek 1 25:general_ci 70:bin
hebrew 1 16:general_ci 71:bin
hp8 1 6:english_ci 72:bin
keybcs2 1 37:general_ci 73:bin
koi8r 1 7:general_ci 74:bin
koi8u 1 22:general_ci 75:bin
latin1 1 5:german1_ci 8:swedish_ci 15:danish_ci 31:german2_ci 47:bin 48:general_ci 49:general_cs 94:spanish_ci
latin2 1 2:czech_cs 9:general_ci 21:hungarian_ci 27:croatian_ci 77:bin
latin5 1 30:turkish_ci 78:bin
latin7 1 20:estonian_cs 41:general_ci 42:general_cs 79:bin
macce 1 38:general_ci 43:bin
macroman 1 39:general_ci 53:bin
sjis 2 13:japanese_ci 88:bin
swe7 1 10:swedish_ci 82:bin
tis620 1 18:thai_ci 89:bin
ucs2 2 35:general_ci 90:bin 128:unicode_ci 129:icelandic_ci 130:latvian_ci 131:romanian_ci 132:slovenian_ci
  133:polish_ci 134:estonian_ci 135:spanish_ci 136:swedish_ci 137:turkish_ci 138:czech_ci 139:danish_ci
  140:lithuanian_ci 141:slovak_ci 142:spanish2_ci 143:roman_ci 144:persian_ci 145:esperanto_ci 146:hungarian_ci
  147:sinhala_ci 148:german2_ci 149:croatian_ci 150:unicode_520_ci 151:vietnamese_ci 159:general_mysql500_ci
ujis 3 12:japanese_ci 91:bin
utf16 4 54:general_ci 55:bin 101:unicode_ci 102:icelandic_ci 103:latvian_ci 104:romanian_ci 105:slovenian_ci
  106:polish_ci 107:estonian_ci 108:spanish_ci 109:swedish_ci 110:turkish_ci 111:czech_ci 112:danish_ci
  113:lithuanian_ci 114:slovak_ci 115:spanish2_ci 116:roman_ci 117:persian_ci 118:esperanto_ci 119:hungarian_ci
  120:sinhala_ci 121:german2_ci 122:croatian_ci 123:unicode_520_ci 124:vietnamese_ci
utf16le 4 56:general_ci 62:bin
utf32 4 60:general_ci 61:bin 160:unicode_ci 161:icelandic_ci 162:latvian_ci 163:romanian_ci 164:slovenian_ci
  165:polish_ci 166:estonian_ci 167:spanish_ci 168:swedish_ci 169:turkish_ci 170:czech_ci 171:danish_ci
  172:lithuanian_ci 173:slovak_ci 174:spanish2_ci 175:roman_ci 176:persian_ci 177:esperanto_ci 178:hungarian_ci
  179:sinhala_ci 180:german2_ci 181:croatian_ci 182:unicode_520_ci 183:vietnamese_ci
utf8mb3 3 33:general_ci 76:tolower_ci 83:bin 192:unicode_ci 193:icelandic_ci 194:latvian_ci 195:romanian_ci
  196:slovenian_ci 197:polish_ci 198:estonian_ci 199:spanish_ci 200:swedish_ci 201:turkish_ci 202:czech_ci
  203:danish_ci 204:lithuanian_ci 205:slovak_ci 206:spanish2_ci 207:roman_ci 208:persian_ci 209:esperanto_ci
  210:hungarian_ci 211:sinhala_ci 212:german2_ci 213:croatian_ci 214:unicode_520_ci 215:vietnamese_ci
  223:general_mysql500_ci
utf8mb4 4 45:general_ci 46:bin 224:unicode_ci 225:icelandic_ci 226:latvian_ci 227:romanian_ci 228:slovenian_ci
  229:polish_ci 230:estonian_ci 231:spanish_ci 232:swedish_ci 233:turkish_ci 234:czech_ci 235:danish_ci
  236:lithuanian_ci 237:slovak_ci 238:spanish2_ci 239:roman_ci 240:persian_ci 241:esperanto_ci 242:hungarian_ci
  243:sinhala_ci 244:german2_ci 245:croatian_ci 246:unicode_520_ci 247:vietnamese_ci 255:0900_ai_ci
  256:de_pb_0900_ai_ci 257:is_0900_ai_ci 258:lv_0900_ai_ci 259:ro_0900_ai_ci 260:sl_0900_ai_ci 261:pl_0900_ai_ci
  262:et_0900_ai_ci 263:es_0900_ai_ci 264:sv_0900_ai_ci 265:tr_0900_ai_ci 266:cs_0900_ai_ci 267:da_0900_ai_ci
  268:lt_0900_ai_ci 269:sk_0900_ai_ci 270:es_trad_0900_ai_ci 271:la_0900_ai_ci 273:eo_0900_ai_ci
  274:hu_0900_ai_ci 275:hr_0900_ai_ci 277:vi_0900_ai_ci 278:0900_as_cs 279:de_pb_0900_as_cs 280:is_0900_as_cs
  281:lv_0900_as_cs 282:ro_0900_as_cs 283:sl_0900_as_cs 284:pl_0900_as_cs 285:et_0900_as_cs 286:es_0900_as_cs
  287:sv_0900_as_cs 288:tr_0900_as_cs 289:cs_0900_as_cs 290:da_0900_as_cs 291:lt_0900_as_cs 292:sk_0900_as_cs
  293:es_trad_0900_as_cs 294:la_0900_as_cs 296:eo_0900_as_cs 297:hu_0900_as_cs 298:hr_0900_as_cs
  300:vi_0900_as_cs 303:ja_0900_as_cs 304:ja_0900_as_cs_ks 305:0900_as_ci 306:ru_0900_ai_ci 307:ru_0900_as_cs
  308:zh_0900_as_cs 309:0900_bin 310:nb_0900_ai_ci 311:nb_0900_as_cs 312:nn_0900_ai_ci 313:nn_0900_as_cs
  314:sr_latn_0900_ai_ci 315:sr_latn_0900_as_cs 316:bs_0900_ai_ci 317:bs_0900_as_cs 318:bg_0900_ai_ci
  319:bg_0900_as_cs 320:gl_0900_ai_ci 321:gl_0900_as_cs 322:mn_cyrl_0900_ai_ci 323:mn_cyrl_0900_as_cs
"""

# MariaDB's own collations, and those to which it gives another name than MySQL.
MARIADB_TABLE = """
ucs2 2 149:croatian_mysql561_ci 640:croatian_ci 641:myanmar_ci 642:thai_520_w2
utf16 4 122:croatian_mysql561_ci 672:croatian_ci 673:myanmar_ci 674:thai_520_w2
utf32 4 181:croatian_mysql561_ci 736:croatian_ci 737:myanmar_ci 738:thai_520_w2
utf8mb3 3 213:croatian_mysql561_ci 576:croatian_ci 577:myanmar_ci 578:thai_520_w2 579:general1400_as_ci
utf8mb4 4 245:croatian_mysql561_ci 608:croatian_ci 609:myanmar_ci 610:thai_520_w2 611:general1400_as_ci
"""

# The collations that MariaDB also has with NO PAD, as 1024 and their number.
NOPAD = """
1 3 4 6 7 8 9 10 11 12 13 16 18 19 22 24 25 26 28 30 32 33 35 36 37 38 39 40 41 43 45 46 47 50 51 53
54 55 56 57 58 59 60 61 62 64 65 66 67 68 69 70 71 72 73 74 75 77 78 79 80 81 82 83 84 85 86 87 88
89 90 91 92 93 95 96 97 98 101 123 128 150 160 182 192 214 224 246
"""

# MariaDB's UCA 14.0.0 collations have 256 numbers for each of these character sets, and 8 of them for each tailoring:
# its number within them says whether it pads (4), looks at accents (2) and at case (1).
UCA_FIRST = cython.declare(cython.int, 2048)
UCA_CHARACTER_SETS = (b"utf8mb3", b"utf8mb4", b"ucs2", b"utf16", b"utf32")
UCA_TAILORINGS = (
    ". icelandic latvian romanian slovenian polish estonian spanish swedish turkish czech danish lithuanian slovak "
    "spanish2 roman persian esperanto hungarian sinhala german2 - - vietnamese croatian"
)  # a point: of no language; a dash: there is none

COUNT = cython.declare(cython.int, 512)
COLLATIONS = cython.declare(Collation[512])
MARIADB = cython.declare(Collation[COLLATIONS_END])
UCA_NAMES = cython.declare((cython.char[40])[1280])
names: list[bytes] = []  # keeps alive what the tables point at


@cython.cfunc
def fill_table(table: str, collations: cython.pointer(Collation)) -> cython.void:
    character_set: bytes = b""
    word: str
    most_bytes: cython.int = 0
    for line in table.strip().splitlines():
        words: list[str] = line.split()
        if not line.startswith(" "):
            character_set = words[0].encode()
            names.append(character_set)
            most_bytes = int(words[1])
            words = words[2:]
        for word in words:
            rest = word.partition(":")[2].encode()
            name: bytes = character_set + b"_" + rest if rest else character_set
            names.append(name)
            number: cython.int = int(word.partition(":")[0])
            collations[number].character_set = character_set
            collations[number].name = name
            collations[number].most_bytes = most_bytes


@cython.cfunc
def fill_nopad() -> cython.void:
    """MariaDB's name for such a collation has the word before its last part."""
    for word in NOPAD.split():
        number: cython.int = int(word)
        first, _, last = cython.cast(bytes, COLLATIONS[number].name).rpartition(b"_")
        name: bytes = first + b"_nopad_" + last
        names.append(name)
        MARIADB[1024 + number] = COLLATIONS[number]
        MARIADB[1024 + number].name = name


@cython.cfunc
def fill_uca() -> cython.void:
    character_set: bytes
    language: str
    offset: cython.int
    for place, character_set in enumerate(UCA_CHARACTER_SETS):
        names.append(character_set)
        most_bytes: cython.int = 3 if place == 0 else 2 if place == 2 else 4
        number: cython.int = 256 * place
        for language in UCA_TAILORINGS.split():
            prefix: bytes = character_set + b"_uca1400" + (b"" if language == "." else b"_" + language.encode())
            for offset in range(8):
                if language != "-":
                    name: cython.p_char = UCA_NAMES[number]
                    strcpy(name, prefix)
                    strcat(name, "_nopad" if offset & 4 else "")
                    strcat(name, "_as" if offset & 2 else "_ai")
                    strcat(name, "_cs" if offset & 1 else "_ci")
                    MARIADB[UCA_FIRST + number].character_set = character_set
                    MARIADB[UCA_FIRST + number].name = name
                    MARIADB[UCA_FIRST + number].most_bytes = most_bytes
                number += 1


fill_table(TABLE, COLLATIONS)
fill_table(MARIADB_TABLE, MARIADB)
fill_nopad()
fill_uca()


def collation_find(number: uint64_t, mariadb: cython.bint) -> p_const_Collation:
    if mariadb and number < cython.cast(cython.uint, COLLATIONS_END) and MARIADB[number].name != cython.NULL:
        return cython.address(MARIADB[number])
    if number < cython.cast(cython.uint, COUNT) and COLLATIONS[number].name != cython.NULL:
        return cython.address(COLLATIONS[number])
    return cython.NULL


def character_set_of(number: uint64_t) -> cython.p_const_char:
    found: p_const_Collation = collation_find(number, True)
    return cython.NULL if found == cython.NULL else found.character_set


def collation_names(mariadb: cython.bint) -> dict:
    """Return every collation of MySQL, or of MariaDB, by its number: (character set, name)."""
    found: dict = {}
    number: cython.int
    for number in range(COLLATIONS_END):
        collation: p_const_Collation = collation_find(number, mariadb)
        if collation != cython.NULL:
            found[number] = (collation.character_set.decode(), collation.name.decode())
    return found
