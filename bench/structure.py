"""The driver of structure.sh. Every run is a process of its own, one thread each, and is kept as a line of runs.jsonl as it ends, so that a
run that was stopped goes on where it was; "collect" writes what all lines say to structure/results.json.

    python3 structure.py FOLDER run JOBS.json [SECONDS [RUNS.jsonl]]   # at most that long for one run; the lines go to that file
    python3 structure.py FOLDER collect
"""

import json
import math
import os
import platform
import resource
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = "ours"
ONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GOMAXPROCS": "1", "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore",
       "JAX_ENABLE_COMPILATION_CACHE": "false", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
KEY = ("peer", "table", "notion", "epsilon", "adjacency", "seed")


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f]


def one(folder, job, limit):
    """Run a job and score what it made."""
    program = os.path.join(folder, "structure")
    peer, table = job["peer"], job["table"]

    def spend():  # on a machine that does other work, too, a run has as much of the processor as on one that does not
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
    out = os.path.join(folder, f"out-{os.getpid()}.csv")
    try:
        if peer.startswith(OURS):
            r = subprocess.run([program, "ours", table, peer.removeprefix(OURS + "-"), job["notion"], str(job["epsilon"]), job["adjacency"],
                                str(job["seed"])], env=ONE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=10 * limit,
                               preexec_fn=spend)
            if r.returncode == -signal.SIGXCPU:
                return {"error": f"longer than {limit:g} s"}
            return json.loads(r.stdout) if r.returncode == 0 else {"error": r.stderr.strip().splitlines()[-1][:200]}
        python = os.path.join(folder, "venv-" + peer.split("-")[0], "bin", "python")
        r = subprocess.run([python, os.path.join(HERE, "structure", "peers.py"), peer, f"{folder}/{table}.csv", f"{folder}/{table}.json",
                            job["notion"], str(job["epsilon"]), str(job["seed"]), out], env=ONE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=10 * limit, preexec_fn=spend)
        if r.returncode == -signal.SIGXCPU:
            return {"error": f"longer than {limit:g} s"}
        if r.returncode != 0:
            said = r.stderr.strip().splitlines() or ["no message"]
            return {"error": ([s for s in said if "rror" in s or "Failed" in s] or said)[-1].strip()[:200]}
        seconds = json.loads(r.stdout.strip().splitlines()[-1])["seconds"]
        r = subprocess.run([program, "score", table, out], env=ONE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if r.returncode != 0:
            return {"error": r.stderr.strip().splitlines()[-1][:200]}
        return {**json.loads(r.stdout), "seconds": seconds}
    except subprocess.TimeoutExpired:
        return {"error": f"longer than {limit:g} s"}
    finally:
        if os.path.exists(out):
            os.remove(out)


def run(folder, jobs, limit, path):
    """Run what has no line yet, or one that says of a shorter limit that it was not enough. Once a run took two minutes, or failed, the
    other seeds of its setting are left out."""
    done = {tuple(r[k] for k in KEY): r for r in lines(path) if r.get("limit", limit) >= limit or not r.get("error", "").startswith("longer")}
    slow = {key[:-1] for key, r in done.items() if "error" in r or r["seconds"] > 120}
    with open(jobs) as f:
        jobs = json.load(f)
    for j in jobs:
        for seed in j["seeds"]:
            job = {**{k: j[k] for k in KEY if k != "seed"}, "seed": seed}
            key = tuple(job[k] for k in KEY)
            if key in done or key[:-1] in slow:
                continue
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done[key] = r = one(folder, job, limit)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            r["cpu"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
            if "error" in r or r["seconds"] > 120:
                slow.add(key[:-1])
            with open(path, "a") as f:
                f.write(json.dumps({**job, **r, "limit": limit, "date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0])}) + "\n")
            print(time.strftime("%H:%M:%S"), *(job[k] for k in KEY), r.get("error") or f"{r['tv'][1]:.4f}", f"{r.get('seconds', 0):.0f} s",
                  flush=True)


def score(x):
    x = [v for v in x if v is not None]
    if not x:
        return None
    mean = sum(x) / len(x)
    se = math.sqrt(sum((v - mean) ** 2 for v in x) / (len(x) - 1) / len(x)) if len(x) > 1 else 0
    return {"mean": mean, "se": se}


def collect(folder):
    groups = {}
    for r in lines(os.path.join(folder, "runs.jsonl")):
        groups.setdefault(tuple(r[k] for k in KEY[:-1]), []).append(r)
    path = os.path.join(HERE, "structure", "results.json")
    with open(path) as f:
        old = json.load(f)
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    # what these runs do not have stays as it was, with its own date
    results = [{**r, "date": r.get("date", old["date"]), "commit": r.get("commit", old["commit"])} for r in old["results"]
               if tuple(r[k] for k in KEY[:-1]) not in groups]
    for key, rs in groups.items():
        good = [r for r in rs if "error" not in r]
        out = {**dict(zip(KEY, key)), "runs": len(good), "date": time.strftime("%Y-%m-%d"), "commit": commit}
        if good:
            out |= {"columns": score([r["tv"][0] for r in good]), "pairs": score([r["tv"][1] for r in good]),
                    "triples": score([r["tv"][2] for r in good]), "auc": score([r.get("auc") for r in good]),
                    "accuracy": score([r.get("accuracy") for r in good]), "seconds": max(r["seconds"] for r in good),
                    "declined": any(r.get("declined") for r in good)}
        errors = sorted({r["error"] for r in rs if "error" in r})
        if errors:
            out["errors"] = errors
        results.append({k: v for k, v in out.items() if v is not None and v is not False})
    results.sort(key=lambda r: str(tuple(r[k] for k in KEY[:-1])))
    with open("/proc/cpuinfo") as f:
        cpu = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    peers = []
    for name in ("mbi", "opendp", "dpmm", "smartnoise", "datasynthesizer"):
        pip = os.path.join(folder, "venv-" + name, "bin", "pip")
        if os.path.exists(pip):
            text = subprocess.run([pip, "freeze"], stdout=subprocess.PIPE, text=True).stdout.split()
            want = {"mbi": ["mbi", "jax"], "opendp": ["opendp", "mbi"], "dpmm": ["dpmm"], "smartnoise": ["smartnoise-synth"],
                    "datasynthesizer": ["DataSynthesizer"]}[name]
            peers.append(", ".join(t.replace("==", " ") for t in text if t.split("==")[0] in want))
    go = subprocess.run(["go", "version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[2]
    doc = {"date": time.strftime("%Y-%m-%d"), "commit": commit, "cpu": cpu, "cores": os.cpu_count(), "go": go,
           "python": platform.python_version(), "peers": peers, "delta": 1e-9, "results": results}
    with open(path, "w") as f:
        json.dump(doc, f, indent=1, ensure_ascii=False)
        f.write("\n")
    for r in results:
        if "pairs" in r:
            print(f"{r['table']:9}{r['notion']:7}{r['epsilon']:<5g}{r['adjacency']:13}{r['peer']:20}{r['pairs']['mean']:.4f} ± "
                  f"{r['pairs']['se']:.4f}  {r['runs']} runs, {r['seconds']:.0f} s")
        else:
            print(f"{r['table']:9}{r['notion']:7}{r['epsilon']:<5g}{r['adjacency']:13}{r['peer']:20}{r['errors']}")


if sys.argv[2] == "run":
    run(sys.argv[1], sys.argv[3], float(sys.argv[4]) if len(sys.argv) > 4 else 3600,
        sys.argv[5] if len(sys.argv) > 5 else os.path.join(sys.argv[1], "runs.jsonl"))
else:
    collect(sys.argv[1])
