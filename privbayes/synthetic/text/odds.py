from math import log
def analyse(path):  # the log odds ratio of one level and another
    n = [[0, 0], [0, 0]]
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            n[row["<<OUTCOME>>"] == "<<OUTCOME_LEVEL>>"][row["<<EXPOSURE>>"] == "<<EXPOSURE_LEVEL>>"] += 1
    return log(n[1][1] * n[0][0] / (n[0][1] * n[1][0])), sum(1 / k for line in n for k in line)
