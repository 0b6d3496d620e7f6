"""What is told of an OSD that hangs."""

from __future__ import annotations

from cluster import stuck

GDB = """\
[New LWP 26470]

Thread 49 (Thread 0x7f41387f36c0 (LWP 26470) "finisher"):
#0  __futex_abstimed_wait_common64 (private=0, futex_word=0x55c167be5068) at ./nptl/futex.c:57
#1  ___pthread_cond_wait (cond=0x55c167be5040) at ./nptl/pthread_cond_wait.c:618
#2  0x000055c13604a17e in Finisher::finisher_thread_entry() ()
#3  0x00007f41906a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442

Thread 5 (Thread 0x7f41387f36c1 (LWP 26255) "rocksdb:low0"):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex.c:57

Thread 3 (Thread 0x7f41387f36c2 (LWP 26250) "admin_socket"):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex.c:57
#1  0x000055c135f3b9f7 in C_SaferCond::wait() ()
#2  0x000055c135f3b9f8 in OSD::asok_command(std::string, int) ()
(More stack frames follow...)
"""


def test_the_thread_of_commands_comes_first_and_a_thread_is_a_line() -> None:
    assert stuck.compact(GDB) == [
        "thread 3 admin_socket: C_SaferCond::wait < OSD::asok_command",
        "thread 49 finisher: Finisher::finisher_thread_entry",
    ]
