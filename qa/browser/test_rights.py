"""Who may do what: every endpoint of a real dashboard with real users of every role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from browser.chrome import Page, expect
from browser.dashboard import APP, goes, open_tab
from browser.rest import API, PatientRest, Rest
from browser.sites import QUICK, Site
from endpoints import ENDPOINTS, lacking
from roles import BUILT_IN, OWN, ROLES


class Users:
    """One user of each role, logged in when first asked for."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.roles = set(site.cluster.ceph_json("dashboard", "ac-role-show"))
        self._sessions: dict[str, Rest] = {}

    def of(self, role: str) -> Rest:
        if role not in self._sessions:
            if role in OWN:
                self._make(role)
            self._site.add_user(f"user-{role}", role)
            self._sessions[role] = self.anew(role)
        return self._sessions[role]

    def anew(self, role: str) -> Rest:
        """Another session: the dashboard ends those of before when a user or role changes."""
        return PatientRest(self._site.url).log_in(f"user-{role}", self._site.password)

    def _make(self, role: str) -> None:
        ceph = self._site.cluster.ceph
        ceph("dashboard", "ac-role-create", role)
        for scope, permissions in OWN[role].items():
            ceph("dashboard", "ac-role-add-scope-perms", role, scope, *permissions)

    def gone(self) -> None:
        for role in self._sessions:
            self._site.cluster.ceph("dashboard", "ac-user-delete", f"user-{role}")
            if role in OWN:
                self._site.cluster.ceph("dashboard", "ac-role-delete", role)


@pytest.fixture(scope="module")
def users(site: Site) -> Iterator[Users]:
    site.is_calm()
    made = Users(site)
    yield made
    made.gone()


def held(site: Site) -> Any:
    """What the endpoints could change, without what changes by itself."""
    ceph = site.cluster.ceph_json
    baselines, schedules = site.admin.get("/baseline").json, site.admin.get("/schedule").json
    return {
        "rounds": site.admin.get("/round").headers["x-total-count"],
        "baselines": baselines,
        "schedules": [(one["name"], one["paused"]) for one in schedules],
        "muted": [one["id"] for one in site.admin.get("/finding").json if one["state"] == "muted"],
        "options": sorted(
            (one["section"], one["name"], one["value"]) for one in ceph("config", "dump")
        ),
        "pools": sorted(ceph("osd", "pool", "ls")),
    }


def told(sentence: str) -> list[str]:
    """The rights that a refusal names."""
    return re.findall(r"\w+ of the scope [\w-]+", sentence)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_what_its_rights_say(site: Site, users: Users, role: str) -> None:
    if role in BUILT_IN and role not in users.roles:
        pytest.skip(f"this release has no role {role}")
    user, before = users.of(role), held(site)
    wrong: list[object] = []
    for endpoint in ENDPOINTS:
        reply = user.call(endpoint.method, API + endpoint.path, endpoint.body)
        missing = lacking(ROLES[role], endpoint.needs)
        statuses = (403,) if missing else endpoint.statuses
        if reply.status not in statuses:
            wrong.append((endpoint.name, statuses, reply))
        if missing:
            answer = reply.json
            named = told(answer["detail"])
            right = bool(named) and set(named) <= set(missing) and named[0] == missing[0]
            if not right or answer["component"] != "perf_bench" or "raceback" in str(answer):
                wrong.append((endpoint.name, missing, answer))
    assert not wrong, "\n".join(map(str, wrong))
    assert held(site) == before


def test_the_builtin_roles_are_these(site: Site, users: Users) -> None:
    assert users.roles - set(OWN) <= set(BUILT_IN)
    for role in users.roles - set(OWN):
        found = site.cluster.ceph_json("dashboard", "ac-role-show", role)["scopes_permissions"]
        ours = {
            scope: tuple(sorted(found[scope]))
            for scope in ("osd", "pool", "config-opt")
            if scope in found
        }
        assert ours == BUILT_IN[role], role


def test_a_stranger_is_asked_to_log_in(site: Site) -> None:
    for endpoint in ENDPOINTS:
        reply = site.stranger.call(endpoint.method, API + endpoint.path, endpoint.body)
        assert reply.status == 401, (endpoint.name, reply)


def test_who_may_start_starts_and_ends_and_who_may_delete_deletes(site: Site, users: Users) -> None:
    site.is_calm()
    starter, cleaner = users.of("starter"), users.of("cleaner")
    started = starter.post("/round", {**QUICK, "repeats": 20})
    assert started.status == 201, started
    number = started.json["id"]
    assert cleaner.post(f"/round/{number}/abort").status == 403
    assert starter.post(f"/round/{number}/abort").status == 200
    assert site.sees_the_end_of(number)["state"] == "aborted"
    assert starter.call("DELETE", f"{API}/round/{number}").status == 403
    assert starter.get(f"/round/{number}").status == 200
    assert cleaner.call("DELETE", f"{API}/round/{number}").status == 204
    assert cleaner.get(f"/round/{number}").status == 404


def test_a_right_that_is_taken_away_is_gone(site: Site, users: Users) -> None:
    loader, dry = users.of("loader"), {"profile": "rados-write", "dry_run": True}
    assert loader.post("/round", dry).status == 200
    site.cluster.ceph("dashboard", "ac-role-del-scope-perms", "loader", "pool")
    try:
        assert loader.post("/round", dry).status in (401, 403)
        refused = users.anew("loader").post("/round", dry)
        assert refused.status == 403
        assert told(refused.json["detail"]) == ["create of the scope pool"]
    finally:
        held_before = OWN["loader"]["pool"]
        site.cluster.ceph("dashboard", "ac-role-add-scope-perms", "loader", "pool", *held_before)
    assert users.anew("loader").post("/round", dry).status == 200


def test_two_roles_add_up(site: Site, users: Users) -> None:
    """The scope osd from one role, the scope config-opt from another."""
    refused = users.of("starter").post("/mclock/restore")
    assert told(refused.json["detail"]) == ["update of the scope config-opt"]
    users.of("cleaner")  # makes the role
    site.cluster.ceph("dashboard", "ac-user-add-roles", "user-starter", "cleaner")
    try:
        assert users.anew("starter").post("/mclock/restore").status in (200, 501)
    finally:
        site.cluster.ceph("dashboard", "ac-user-del-roles", "user-starter", "cleaner")


def test_the_tab_shows_what_a_role_may(page: Page, site: Site, users: Users) -> None:
    users.of("cleaner")
    open_tab(page, site, user="user-cleaner")
    words = "lack the permission: create of the scope osd."
    expect(page.locator(APP).get_by_text(words)).to_be_visible()
    expect(page.get_by_role("button", name="Start a round")).to_have_count(0)
    goes(page, "/schedules")
    expect(page.locator(APP).get_by_text(words)).to_be_visible()
    expect(page.get_by_role("button", name="Add a schedule")).to_have_count(0)
