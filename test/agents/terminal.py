# Runs a program in a pseudo terminal of 120 x 40, and answers what the reader of its output does not: keyboard and colours.
# What comes in on standard input is typed; what the program draws goes to standard output.
import fcntl, os, pty, re, select, signal, struct, sys, termios

answers = [
    (rb'\x1b\[\?u', b'\x1b[?0u'),
    (rb'\x1b\]1[01];\?(?:\x07|\x1b\\)', b'\x1b]11;rgb:0000/0000/0000\x1b\\'),
]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.close(terminal) or sys.exit(1))
watched = [terminal, 0]
while True:
    ready, _, _ = select.select(watched, [], [])
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(terminal, typed)
        else:
            watched.remove(0)
    if terminal in ready:
        try:
            drawn = os.read(terminal, 65536)
        except OSError:
            break
        if not drawn:
            break
        for question, answer in answers:
            for _ in re.finditer(question, drawn):
                os.write(terminal, answer)
        os.write(1, drawn)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)
