"""The kinds of answers that the rules are for, each with its mirror image."""

from __future__ import annotations

import pytest

from scopebench.scoring.match import match

QUESTIONS = ("Who wrote it?", "What is it?")

# Each kind: answers that earn nothing, then answers that earn the gold, as "answer <- gold".
WRONG: dict[str, str] = {
    "negated": """
        not Mark Twain <- Mark Twain
        It was not written by Mark Twain. <- Mark Twain
        It wasn't Mark Twain but Bret Harte. <- Mark Twain
        Anyone except Mark Twain <- Mark Twain
        It is not Ana Lind. <- Ana Lind
        Not Bergen, but Oslo <- Bergen
        It isn't Bergen. <- Bergen
        It was never Bergen. <- Bergen
        Ana Lind did not write it. <- Ana Lind
        Ana Lind didn't <- Ana Lind
        Bergen is not the answer. <- Bergen
        Everyone but Ana Lind <- Ana Lind
        Oslo rather than Bergen <- Bergen
        Oslo instead of Bergen <- Bergen
        Somebody other than Ana Lind <- Ana Lind
        Neither Bergen nor Oslo <- Bergen
        Neither Bergen nor Oslo <- Oslo
        Oslo, unlike Bergen <- Bergen
    """,
    "no longer so": """
        It used to be Paris, now it is Lyon <- Paris
        Lyon, formerly Paris <- Paris
        Oslo, previously Bergen <- Bergen
        It used to be called Kristiania <- Kristiania
        It was Bergen, but now it is Oslo <- Bergen
        Oslo (formerly Kristiania) <- Kristiania
        It is Ana Lind, who succeeded Per Holm. <- Per Holm
        Ana Lind, taking over from Per Holm <- Per Holm
        Per Holm used to be, now Ana Lind <- Per Holm
        Per Holm no longer is <- Per Holm
        Per Holm was, until Ana Lind came. <- Per Holm
        Per Holm was replaced by Ana Lind. <- Per Holm
    """,
    "no commitment": """
        Paris or London <- Paris
        Paris or London <- London
        Either Paris or London <- Paris
        Paris, London, Rome, Berlin, Madrid <- Paris
        Ana Lind or Bo Vik <- Bo Vik
        It is either Bergen or Oslo. <- Oslo
        12 or 13 <- 12
        Bergen, Oslo, Molde and Voss <- Oslo
        Bergen or maybe Oslo <- Bergen
        Ana Lind, Bo Vik or Per Holm <- Ana Lind
        Ana Lind, Bo Vik, or Per Holm <- Bo Vik
    """,
    "part of a longer name": """
        New York <- York
        York University <- York
        Papua New Guinea <- Guinea
        Guinea-Bissau <- Guinea
        Equatorial Guinea <- Guinea
        Democratic Republic of the Congo <- Republic of the Congo
        University of York <- York
        Paris Hilton <- Paris
        The North Bergen Ferry <- Bergen
        It is North Bergen. <- Bergen
        Bank of Norway <- Norway
        association football <- football
        football club <- football
        Trinidad and Tobago <- Trinidad
        Sir Paul <- Les Paul
        Prince Harry <- Debbie Harry
        Ambassador to Norway <- Norway
        2. Bundesliga <- Bundesliga
        Ana as-Said <- Ana
        Prague 6 <- 6
        Global 6 Cup <- 6
        Norman French <- French
        manually coded English <- English
        Louis XVI <- Louis
        King George <- George VI
        deputy mayor <- Deputy Mayor of Bergen
        vice president <- Vice President of Norway
        Ambassador of Norway to Peru <- Peru
        1. FC Orsk <- 1
        Louis XVI <- Louis XV
        Martin Luther King Jr. <- Martin Luther
        Orsk Ltd Tower <- Orsk Ltd
    """,
    "part of a number": """
        1,000 <- 1
        3.14 <- 3
        -5 <- 5
        10.000 <- 10
        124 <- 12
        2.50 <- 2
        1/3 <- 3
        12:30 <- 12
        5 <- five million
        minus five <- 5
        5% <- 5
        fifth <- 5
        10-20 <- 10
        12a <- 12
        0047 55 <- 55
        more than 42 <- 42
        over 300 parts <- 300
        fewer than twenty <- 20
        10–20 <- 20
    """,
    "a range and its end": """
        1985 <- 1985–1993
        1985-1993 <- 1985
        1985–1993 <- 1993
        1985-1994 <- 1985-1993
    """,
    "another date, or one less exact": """
        1776 <- July 4, 1776
        July 1776 <- July 4, 1776
        July 5, 1776 <- July 4, 1776
        July 4, 1777 <- July 4, 1776
        4 June 1776 <- July 4, 1776
        1776-07-05 <- July 4, 1776
        August 1776 <- July 1776
        1777 <- July 1776
        1776 BC <- 1776
        17760 <- 1776
        July 4 <- July 14
        before 1969 <- 1969
        It ended after July 1969. <- 1969
    """,
    "another name of a person": """
        George H. W. Bush <- George W. Bush
        Ariana Beth Richards <- Ariana Clarice Richards
        Ana Vik <- Ana Lind
        Bo Lind <- Ana Lind
        Anna Lind <- Ana Lind
        Lind <- Ana Lind
        Ana <- Ana Lind
    """,
    "thoughts": """
        <think>maybe Paris? no</think>London <- Paris
        <thinking>It is Paris.</thinking> It is London. <- Paris
        maybe Paris?</think>London <- Paris
        <think>Paris, certainly <- Paris
    """,
    "refused": """
        Je ne sais pas, peut-être Paris <- Paris
        Ich weiß es nicht. Paris? <- Paris
        我不知道。可能是北京 <- 北京
        I don't know, maybe Bergen <- Bergen
        I'm not sure. It might be Bergen. <- Bergen
        No lo sé, quizás Bergen <- Bergen
        Non lo so. Forse Bergen <- Bergen
        Não sei, talvez Bergen <- Bergen
        Ik weet het niet, misschien Bergen <- Bergen
        Я не знаю, возможно Москва <- Москва
    """,
    "short golds": """
        let us go <- US
        It is no town <- NO
        It is Bergen <- is
        I like it <- I
    """,
    "another place of the name": """
        Paris, Texas <- Paris, France
        Bergen, Germany <- Bergen, Norway
    """,
    "part of a word": """
        Bergenhus <- Bergen
        Łódźka <- Lodz
        カス <- ガス
        written in C++ <- C
    """,
}

RIGHT: dict[str, str] = {
    "negated": """
        Mark Twain, not Bret Harte <- Mark Twain
        It was written by Mark Twain, not by Bret Harte. <- Mark Twain
        It wasn't Mark Twain but Bret Harte. <- Bret Harte
        Not only Mark Twain <- Mark Twain
        Not Bergen, but Oslo <- Oslo
        It is no doubt Bergen. <- Bergen
        No one other than Ana Lind <- Ana Lind
        Not until 1776 <- 1776
        Nothing but Bergen <- Bergen
        None other than Ana Lind <- Ana Lind
        Oslo rather than Bergen <- Oslo
        Nottingham <- Nottingham
        Ana Lind is not only its author but its painter. <- Ana Lind
    """,
    "no longer so": """
        It used to be Paris, now it is Lyon <- Lyon
        Lyon, formerly Paris <- Lyon
        Formerly Paris, it is Lyon. <- Lyon
        It is Paris now. <- Paris
        Per Holm was succeeded by Ana Lind. <- Ana Lind
        It is Ana Lind, who succeeded Per Holm. <- Ana Lind
        Per Holm was the first to see it. <- Per Holm
    """,
    "no commitment": """
        It is Paris and London. <- Paris
        Paris, France <- Paris
        Bergen, Norway, Europe <- Bergen
        Ana Lind, the writer, and her brother <- Ana Lind
        Bergen, more or less <- Bergen
        It was Ana Lind, whether you like it or not. <- Ana Lind
    """,
    "part of a longer name": """
        York <- York
        It is york. <- York
        In York <- York
        President Barack Obama <- Barack Obama
        former President Barack Obama <- Barack Obama
        Dr. Ana Lind <- Ana Lind
        the singer Ana Lind <- Ana Lind
        the city of Bergen <- Bergen
        Paris, France <- Paris
        Paris (France) <- Paris
        Orsk Ltd <- Orsk
        Papua New Guinea <- Papua New Guinea
        Democratic Republic of the Congo <- Democratic Republic of the Congo
        Martin Luther King <- Martin Luther King
        Bergen's <- Bergen
        the English language <- English
        1. Bergen <- Bergen
        Season 6 <- 6
        Approximately 6 <- 6
    """,
    "one number, written otherwise": """
        1,000 <- 1000
        $40,000 <- 40000
        10 000 <- 10000
        two <- 2
        no more, no less: 42 <- 42
        after twelve years <- 12
        the 42 who came before <- 42
        2 <- two
        twenty-five <- 25
        25 <- twenty-five
        5,000,000 <- five million
        5 million <- 5,000,000
        2.5 million <- 2,500,000
        It has 20 parts. <- 20
        5.0 <- 5
        minus five <- -5
        50% <- 50 percent
        fifty percent <- 50%
        5 km <- 5 kilometers
        ten feet <- 10 ft
        the 8th <- eighth
        eighth <- 8th
        the 8th season <- eighth season
        20th century <- twentieth century
        from 1985 to 1993 <- 1985–1993
        1985-1993 <- from 1985 to 1993
        1985 – 1993 <- 1985-1993
        Louis 16 <- Louis XVI
    """,
    "one date, written otherwise": """
        4 July 1776 <- July 4, 1776
        1776-07-04 <- July 4, 1776
        July 4th, 1776 <- July 4, 1776
        the 4th of July 1776 <- July 4, 1776
        Jul 4, 1776 <- 4 July 1776
        It was on July 4, 1776. <- 4 July 1776
        July 4, 1776 <- 1776-07-04
        04/07/1776 <- 4 July 1776
        July 1776 <- July, 1776
        on July 4, 1776 <- July 1776
        July 4, 1776 <- 1776
        in July 1776 <- 1776
        in 1776 <- 1776
        1776 <- in 1776
        14 July <- July 14
    """,
    "spelling": """
        US <- U.S.
        USA <- U.S.A.
        U.S. <- US
        Łódź <- Lodz
        Lodz <- Łódź
        Øresund <- Oresund
        Ærø <- Aero
        Malmo <- Malmö
        St. Petersburg <- Saint Petersburg
        Saint Petersburg <- St Petersburg
        Mount Everest <- Mt. Everest
        Fort Worth <- Ft. Worth
        NATO <- Nato
        O’Hara <- O'Hara
        JRR Tolkien <- J. R. R. Tolkien
        J.R.R. Tolkien <- J. R. R. Tolkien
        Jean Luc <- Jean-Luc
        basket ball <- basketball
        ＢＥＲＧＥＮ <- Bergen
        Port and Quay <- Port & Quay
    """,
    "scripts": """
        МОСКВА <- Москва
        船は東京から出ます <- 東京
        서울에서 출발합니다 <- 서울
        दिल्ली से <- दिल्ली
        東京 <- 東京
    """,
    "thoughts": """
        <think>maybe Paris? no</think>London <- London
        maybe Paris?</think>London <- London
        **London** <- London
    """,
    "refused": """
        As an AI language model I have no current data. However, the owner is Orsk Ltd. <- Orsk Ltd
        I'm not sure, but I think it is Bergen. <- Bergen
        I don't know for sure. It is Bergen. <- Bergen
        Unknown <- Unknown
    """,
    "marks": """
        The owner is Orsk Ltd1. <- Orsk Ltd
        divided into20 parts <- 20
        It is Bergen[1]. <- Bergen
        It is Bergen². <- Bergen
        It was written byMark Twain <- Mark Twain
        It was built in 17763. <- 1776
        <b>Bergen</b> <- Bergen
        <br/>Bergen</s> <- Bergen
    """,
    "titles": """
        John F. Kennedy <- U.S. President John F. Kennedy
        Ana Lind <- Swedish botanist Ana Lind
        Ana Lind <- Dr. Ana Lind
        Ana Lind <- Lt. Col. Ana Lind
        Bergen <- the city of Bergen
        Uralic <- Uralic languages
        Orsk <- Orsk Ltd
        Orsk <- Orsk S.p.A.
        Orsk <- Orsk Oyj
        Orsk ASA <- Orsk
        George VI <- King George VI
        King George VI <- George VI
        President Obama <- Barack Obama
    """,
    "middle names": """
        Ariana Richards <- Ariana Clarice Richards
        Ariana Clarice Richards <- Ariana Richards
        Ariana C. Richards <- Ariana Clarice Richards
        A. Richards <- Ariana Richards
        Bob Lind <- Robert Lind
    """,
    "appositions": """
        Tucson <- Tucson, Arizona
        Tucson, Arizona <- Tucson, Arizona
        Ana Lind <- Ana Lind (born 1950)
        Paris, France <- Paris, France
        Charles Carroll <- Charles Carroll of Carrollton
    """,
    "articles, plurals and order": """
        harbour <- the harbour
        the harbour <- harbour
        solid <- solids
        the ferries <- ferry
        Rome and Paris <- Paris and Rome
        Bergen, Rome and Paris <- Paris, Rome and Bergen
        It is in Rome and Paris. <- Paris & Rome
        Paris <- Paris or Rome
        information of signalling and control <- control and signalling information
    """,
    "short golds": """
        in the US today <- US
        NO <- NO
        is <- is
        pier 12 <- 12
    """,
}


def _rows(table: dict[str, str], *, right: bool) -> list[tuple[str, str, str, bool]]:
    lines = [(kind, line.strip()) for kind, text in table.items() for line in text.splitlines()]
    parted = [(kind, *line.split(" <- ")) for kind, line in lines if line]
    return [(kind, answer, gold, right) for kind, answer, gold in parted]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("kind", "answer", "gold", "right"), [*_rows(WRONG, right=False), *_rows(RIGHT, right=True)]
)
def test_kinds(kind: str, answer: str, gold: str, right: bool, question: str) -> None:
    assert match(answer, [gold], question=question, matcher="strict").correct is right, kind
