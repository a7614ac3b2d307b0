"""Reading the fact tables of the starter data set.

The tables are plain CSV files beside this module. An entity is written once, with its identifier,
its aliases and two side facts; the edit tables name entities by their label only, so a label is
always spelled in one way.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

FACT_SEPARATOR = " > "


@dataclass(frozen=True)
class SideFact:
    """One thing the tables know about an entity besides the edits.

    Attributes:
        predicate: Words between the entity and the target, for example "lies on the river".
        target: What the predicate leads to.
    """

    predicate: str
    target: str


@dataclass(frozen=True)
class Entity:
    """A subject or an object.

    Attributes:
        name: Label, as it appears in questions and answers.
        entity_id: Wikidata identifier where it is certain, else one of the project ("SB-Q1").
        article: "the" where running text needs it, else empty.
        pronoun: Pronoun that takes the place of a repeated label.
        aliases: Other accepted labels.
        facts: Side facts; empty for entities that are only ever an old object.
    """

    name: str
    entity_id: str
    article: str
    pronoun: str
    aliases: tuple[str, ...]
    facts: tuple[SideFact, ...]

    @property
    def in_text(self) -> str:
        """The label with its article, as it stands inside a sentence."""
        return f"{self.article} {self.name}".strip()

    @property
    def names(self) -> tuple[str, ...]:
        """The label followed by the aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class EditRow:
    """One line of an edit table.

    Attributes:
        dataset: Name of the data set that the edit belongs to.
        relation: Key of the relation in the relation table.
        subject: Entity that the edit is about.
        old: Object before the edit.
        new: Object after the edit.
        neighbors: Other subjects of which the old object is true, as of `FACTS_AS_OF`.
        time_old: First and last date of the old fact; empty strings where unknown.
        time_new: First and last date of the new fact; an empty end means it still holds.
    """

    dataset: str
    relation: str
    subject: Entity
    old: Entity
    new: Entity
    neighbors: tuple[str, ...] = ()
    time_old: tuple[str, str] = ("", "")
    time_new: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class OtherFact:
    """A true fact of another relation of an edited subject, which the edit cannot change.

    Attributes:
        relation: Key of the relation in the relation table.
        object: Its one object.
    """

    relation: str
    object: Entity


@dataclass(frozen=True)
class Fact:
    """A link of a multi-hop path: what is true, and what an edit makes of it.

    Attributes:
        relation: Key of the relation in the relation table.
        subject: Entity that the link starts from.
        true: Object in the unedited world.
        new: Object after the edit, or None where the link is never edited.
    """

    relation: str
    subject: Entity
    true: Entity
    new: Entity | None


@dataclass(frozen=True)
class Group:
    """A multi-hop question: where its path starts and which relations it follows."""

    start: Entity
    relations: tuple[str, ...]


def read_table(name: str) -> list[dict[str, str]]:
    """Read one CSV table.

    Args:
        name: File name without its extension.

    Returns:
        The lines in file order.
    """
    path = resources.files("scopebench.sources.starter").joinpath("tables", f"{name}.csv")
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split(";") if part)


def _side_fact(cell: str) -> SideFact:
    predicate, target = cell.split(FACT_SEPARATOR)
    return SideFact(predicate, target)


@cache
def load_entities() -> dict[str, Entity]:
    """Read the entity table.

    Returns:
        The entities by label.
    """
    entities = {}
    for row in read_table("entities"):
        cells = (row["fact_1"], row["fact_2"])
        entities[row["name"]] = Entity(
            name=row["name"],
            entity_id=row["id"],
            article=row["article"],
            pronoun=row["pronoun"],
            aliases=_split(row["aliases"]),
            facts=tuple(_side_fact(cell) for cell in cells if cell),
        )
    return entities


def load_counterfact() -> list[EditRow]:
    """Read the counterfactual edits in table order."""
    entities = load_entities()
    return [
        EditRow(
            dataset="counterfact",
            relation=row["relation"],
            subject=entities[row["subject"]],
            old=entities[row["old"]],
            new=entities[row["new"]],
            neighbors=_split(row["neighbors"]),
        )
        for row in read_table("counterfact")
    ]


def load_wikiupdate() -> list[EditRow]:
    """Read the real-world updates in table order."""
    entities = load_entities()
    return [
        EditRow(
            dataset="wikiupdate",
            relation=row["relation"],
            subject=entities[row["subject"]],
            old=entities[row["old"]],
            new=entities[row["new"]],
            time_old=(row["old_start"], row["old_end"]),
            time_new=(row["new_start"], row["new_end"]),
            neighbors=_split(row["neighbors"]),
        )
        for row in read_table("wikiupdate")
    ]


@cache
def load_other_names() -> dict[str, tuple[str, ...]]:
    """Read the names under which an edited subject can be asked about.

    Unlike the aliases of an entity, which are answers to accept, each of these surely means the
    subject wherever it is read, and fits where the label stands, after its article if it has one.

    Returns:
        The other names by label.
    """
    names: dict[str, tuple[str, ...]] = {}
    for row in read_table("other_names"):
        names[row["subject"]] = (*names.get(row["subject"], ()), row["name"])
    return names


@cache
def load_other_facts() -> dict[tuple[str, str, str], OtherFact]:
    """Read the facts that are asked beside an edit and that it leaves as they are.

    Returns:
        The facts by (data set, subject label, relation key of the edit).
    """
    entities = load_entities()
    return {
        (row["dataset"], row["subject"], row["edit"]): OtherFact(
            row["relation"], entities[row["object"]]
        )
        for row in read_table("other_facts")
    }


def load_multihop() -> tuple[dict[tuple[str, str], Fact], list[Group]]:
    """Read the links and the groups of the multi-hop set.

    Returns:
        The links by (relation key, subject label), and the groups in table order.
    """
    entities = load_entities()
    facts = {}
    for row in read_table("multihop_facts"):
        facts[row["relation"], row["subject"]] = Fact(
            relation=row["relation"],
            subject=entities[row["subject"]],
            true=entities[row["object"]],
            new=entities[row["new_object"]] if row["new_object"] else None,
        )
    groups = [
        Group(entities[row["subject"]], tuple(row["relations"].split()))
        for row in read_table("multihop_groups")
    ]
    return facts, groups
