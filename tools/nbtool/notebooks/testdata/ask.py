# Starts a kernel in the current folder, sends it the messages that a notebook's page sends, and writes what came back.
# In: a JSON list of steps, each with "do" (execute, complete, inspect, wait) and its "code", where "|" is the cursor, or
# "seconds" since the kernel was started. Out: a JSON list of answers.
import json, os, sys, time
from jupyter_client.manager import KernelManager

started = time.time()
manager = KernelManager(kernel_name="gonb")
manager.start_kernel(cwd=os.getcwd(), stderr=open("kernel.log", "w"))
client = manager.client()
client.start_channels()


def reply(msg_id):
    while True:
        m = client.get_shell_msg(timeout=240)
        if m["parent_header"].get("msg_id") == msg_id:
            return m["content"]


def execute(code):
    msg_id, out = client.execute(code), {"stdout": "", "stderr": "", "error": ""}
    while True:
        m = client.get_iopub_msg(timeout=240)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        c = m["content"]
        if m["msg_type"] == "stream":
            out[c["name"]] += c["text"]
        elif m["msg_type"] == "error":
            out["error"] += c["ename"] + ": " + c["evalue"] + "\n".join(c["traceback"])
        elif m["msg_type"] in ("display_data", "execute_result"):
            out["stdout"] += c["data"].get("text/plain", "") + c["data"].get("text/html", "")
        elif m["msg_type"] == "status" and c["execution_state"] == "idle":
            break
    out["status"] = reply(msg_id)["status"]
    return out


def ask(send, code):
    at = code.index("|")
    return reply(send(code.replace("|", "", 1), at))


answers = []
try:
    client.wait_for_ready(timeout=120)
    for step in json.load(sys.stdin):
        begun = time.time()
        if step["do"] == "wait":
            time.sleep(max(0, started + step["seconds"] - begun))
            answer = {}
        elif step["do"] == "execute":
            answer = execute(step["code"])
        else:
            answer = ask(getattr(client, step["do"]), step["code"])
        answer["took"] = time.time() - begun
        answers.append(answer)
finally:
    client.stop_channels()
    manager.shutdown_kernel()
json.dump(answers, sys.stdout)
